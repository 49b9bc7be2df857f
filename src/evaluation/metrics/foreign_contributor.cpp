// Tokens that are not their own largest contributor (Brunner et al., 2020, with hidden token attribution:
// about 30 % in the last layers of BERT): with m the map of a layer,
//
//   |{t : max_j |m_tj| > |m_tt|}| / T
//
// It describes a model as a method sees it; neither way is better. A token that shares the largest place is
// its own. What a causal mask forbids counts as 0. The figure is the last layer's; methods without a map have
// none.
#include <algorithm>
#include <cmath>

#include "evaluation/metrics/evaluation.h"
#include "evaluation/trial/mixing.h"

namespace headwater {

namespace {

EvaluationValue measure(const Trial& trial, const MethodOptions&, std::span<const Reply>) {
  return over_layers(trial, [](std::span<const double> row, std::size_t own) {
    return std::any_of(row.begin(), row.end(),
                       [&](double other) { return std::abs(other) > std::abs(row[own]); })
               ? 1.0
               : 0.0;
  });
}

}  // namespace

extern const Evaluation foreign_contributor;
const Evaluation foreign_contributor{
    .name = "foreign_contributor",
    .summary =
        "The share of tokens whose vector depends more on another token than on themselves, layer by layer.",
    .formula = "|{t : max_j |m_tj| > |m_tt|}| / T, m the map of a layer",
    .paper =
        "Brunner, Liu, Pascual, Richter, Ciaramita and Wattenhofer, 2020: On Identifiability in "
        "Transformers. ICLR",
    .better = Evaluation::Better::Neither,
    .curve_over = "layer",
    .maps = true,
    .measure = measure,
    .points = layer_points,
};

}  // namespace headwater
