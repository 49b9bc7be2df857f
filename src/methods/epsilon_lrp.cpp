// ε-LRP (Bach et al., 2015) through a Transformer: linear layers share relevance by contribution,
//
//   R_j = Σ_i x_j w_ij / (y_i + ε sign y_i) R_i,   y with its bias, which keeps its own share
//
// norms with σ held constant, activations by f(x)/x; attention as CP-LRP (patterns given) or AttnLRP
// (halved). Computed as multipliers, R = x ⊙ m, by one pull.
#include <fmt/format.h>
#include <headwater/error.h>

#include "explain/token_relevance.h"
#include "methods/method.h"

namespace headwater {

namespace {

Attribution run(const Study& study, const MethodOptions& options) {
  const double epsilon = options.number("epsilon");
  if (!(epsilon >= 0))
    throw InputError(fmt::format("epsilon_lrp: option epsilon: expected 0 or more, found {}", epsilon));
  Attribution result{.method = "epsilon_lrp", .options = options.all()};
  const bool constant = options.text("attention") == "constant";
  put_token_relevance(result, study,
                      {.activation = Rules::Activation::Secant,
                       .norm = Rules::Norm::FrozenScale,
                       .softmax = constant ? Rules::Softmax::Constant : Rules::Softmax::Exact,
                       .product = Rules::Product::Halved,
                       .linear = Rules::Linear::Lrp,
                       .epsilon = epsilon});
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions&) {
  return token_relevance_bytes(info, tokens);
}

}  // namespace

extern const Method epsilon_lrp;
const Method epsilon_lrp{
    .name = "epsilon_lrp",
    .summary = "Signed relevance of every token by the ε-rule, which lets weak, contradictory evidence fade.",
    .question = Question::Answer,
    .formula =
        "R[j] = Σᵢ x[j] w[i,j] / (y[i] + ε sign y[i]) R[i] in linear layers;  norms of constant σ, f(x)/x",
    .paper =
        "Bach et al., 2015: On Pixel-Wise Explanations for Non-Linear Classifier Decisions by Layer-Wise "
        "Relevance Propagation. PLoS ONE",
    .cost = "One forward and one pull.",
    .limits =
        "Biases and ε take relevance (the leak ledger says how much); with ε = 0 and no biases it conserves.",
    .options = {{"epsilon", "number", "1e-6", "what is added to every output, away from zero"},
                {"attention", "constant|shared", "constant",
                 "patterns as given (CP-LRP), or products shared half and half (AttnLRP)"}},
    .claims = {},
    .needs_target = true,
    .run = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
