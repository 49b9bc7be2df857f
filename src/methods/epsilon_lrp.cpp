// ε-LRP (Bach et al., 2015) through a Transformer: linear layers share relevance by contribution,
//
//   R_j = Σ_i x_j w_ij / (y_i + ε sign y_i) R_i,   y with its bias, which keeps its own share
//
// norms with σ held constant, activations by f(x)/x; attention as CP-LRP (patterns given) or AttnLRP
// (halved). Computed as multipliers, R = x ⊙ m, by one pull.
#include "explain/token_relevance.h"
#include "methods/method.h"

namespace headwater {

namespace {

Attribution run(const Study& study, const MethodOptions& options) {
  Rules rules =
      lrp_rules(options.text("attention") == "constant" ? Rules::Softmax::Constant : Rules::Softmax::Exact);
  rules.linear = Rules::Linear::Lrp;
  rules.epsilon = options.number("epsilon");
  return token_relevance(study, rules);
}

}  // namespace

extern const Method epsilon_lrp{
    .name = "epsilon_lrp",
    .summary = "Signed relevance of every token by the ε-rule, which damps weak and contradictory evidence.",
    .formula =
        "R[j] = Σᵢ x[j] w[i,j] / (y[i] + ε sign y[i]) R[i] in linear layers;  norms of constant σ, f(x)/x",
    .paper =
        "Bach et al., 2015: On Pixel-Wise Explanations for Non-Linear Classifier Decisions by Layer-Wise "
        "Relevance Propagation. PLoS ONE",
    .cost = "One forward run and one pull.",
    .limits =
        "Biases and ε absorb relevance (the leak ledger says how much). With ε = 0 and no biases it "
        "conserves relevance.",
    .options = {lrp_epsilon_option, lrp_attention_option},
    .needs_target = true,
    .aliases = {"lrp_epsilon", "lrp_eps"},
    .compute = run,
    .planned_bytes = planned<token_relevance_bytes>,
};

}  // namespace headwater
