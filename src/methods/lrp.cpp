// The "LRP" baseline of Chefer, Gur & Wolf (CVPR 2021), as their public code computes it: z⁺ with separate
// denominators for the products of two positive and of two negative numbers, residual sums shared without
// normalisation, products halved, everything else handed on; to the encoder's input, summed over the width.
#include <numeric>

#include <fmt/format.h>

#include "explain/ledger.h"
#include "explain/relevance_walk.h"
#include "explain/rounding.h"
#include "explain/weighted_patterns.h"
#include "methods/method.h"
#include "study/memory.h"

namespace headwater {

namespace {

// The published rules divide by sums moved by 1e-9, in values as in copies.
constexpr double guarded = 1e-6;

Rules rules_of(const Study& study) {
  return relevance_rules(Rules::Relevance::Lrp, true, study.info());
}

// The scores of a text: tokens the head reads are left out.
std::vector<double> of_shown_units(std::vector<double> relevance, const Study& study) {
  return with_cells(std::move(relevance), study.rows_read(), 0);
}

// R of every token.
std::vector<double> relevance_at_input(const Study& study, Ledger& ledger) {
  const RelevanceWalk walk{
      .rules = rules_of(study), .dtype = DType::Float64, .wanted = {{Site::ResidPre, 0}}};
  const Tensor relevance = walk_relevance(study, walk, &ledger).at(Site::ResidPre);  // [1, T, D]
  const Index T = relevance.dim(1), D = relevance.dim(2);
  std::vector<double> sums(as_size(T), 0.0);
  for (Index i = 0; i < relevance.size(); ++i) sums[as_size(i / D)] += relevance.at(i);
  return sums;
}

Attribution run(const Study& study, const MethodOptions&) {
  Attribution result{.maps = {{.axes = {Axis::Units}}}};
  Ledger ledger(rules_of(study), study.info().last().layers);
  const std::vector<double> all = relevance_at_input(study, ledger), scores = of_shown_units(all, study);
  const double total = std::accumulate(all.begin(), all.end(), 0.0);
  const Index T = study.size();
  result.checks.push_back(check_rounding(study, scores, [](const Study& other) {
    Ledger unread(rules_of(other), other.info().last().layers);
    return of_shown_units(relevance_at_input(other, unread), other);
  }));
  if (!result.checks.back().passed)
    result.notes.emplace_back("Rounding of the working type affects these scores; use --dtype float64.");
  result.details.push_back({"row", {Axis::Units}, Tensor::of({T}, all, study.info().dtype)});
  result.scores() = Tensor::of({T}, scores, study.info().dtype);
  result.checks.push_back(
      ledger.check_arrived("tokens and leaks add up to the relevance put in", total, guarded));
  result.checks.push_back(ledger.check_blocks(0, guarded));
  result.notes.push_back(fmt::format(
      "This baseline does not conserve relevance: 1 at the output became {:.4g} at the tokens.", total));
  ledger.report(result);
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions&) {
  return relevance_walk_bytes(info, tokens, relevance_rules(Rules::Relevance::Lrp, true, info),
                              DType::Float64) +
         planned_run_bytes(info, tokens, 1);
}

}  // namespace

extern const Method lrp{
    .name = "lrp",
    .summary =
        "Layer-wise relevance propagation as the authors of transformer attribution ran it for comparison.",
    .title = "LRP",
    .formula = "R[t] = Σ_d R[t,d];  products of equal sign shared, positive and negative inputs separately",
    .paper =
        "Bach et al., 2015: On Pixel-Wise Explanations for Non-Linear Classifier Decisions. PLoS ONE; rules "
        "as in Chefer, Gur and Wolf, 2021. CVPR",
    .cost =
        "One forward run and four products per linear layer in float64, and the same again for the rounding "
        "check.",
    .limits =
        "It is a baseline for comparison and does not conserve relevance: relevance about doubles per linear "
        "layer, and with it the rounding of the run, which in float32 often reaches the size of the result; "
        "a check says so. Use cp_lrp, epsilon_lrp or attn_lrp to explain. It ends at the encoder's input, "
        "also for images.",
    .needs_target = true,
    .instead = "attn_lrp",
    .compute = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
