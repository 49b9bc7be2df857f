// Own contribution (Brunner et al., 2020; for attention Abnar & Zuidema, 2020): with m the map of a layer,
//
//   1/T Σ_t |m_tt| / Σ_j |m_tj|
//
// how much of what a token's vector is made of is said to come from its own place. It describes a model as a
// method sees it; neither way is better. What a causal mask forbids counts as 0, and a row of zeros as a
// token that owes nothing to itself. The figure is the last layer's; methods without a map have none.
#include <cmath>

#include "evaluation/metrics/evaluation.h"
#include "evaluation/trial/mixing.h"

namespace headwater {

namespace {

EvaluationValue measure(const Trial& trial, const MethodOptions&, std::span<const Reply>) {
  return over_layers(trial, [](std::span<const double> row, std::size_t own) {
    double all = 0;
    for (const double one : row) all += std::abs(one);
    return all > 0 ? std::abs(row[own]) / all : 0;
  });
}

}  // namespace

extern const Evaluation self_contribution;
const Evaluation self_contribution{
    .name = "self_contribution",
    .summary =
        "How much of a token's vector comes from the token itself according to the method, layer by layer.",
    .formula = "1/T Σ_t |m_tt| / Σ_j |m_tj|, m the map of a layer",
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
