// γ-LRP (Montavon et al., 2019) in its generalised form (Andéol et al., 2021): in linear layers products that
// have the sign of the output count 1 + γ times,
//
//   R_j = Σ_i c_ij / (D_i ± ε) R_i
//   c_ij = x_j w_ij + γ (x_j w_ij)^{sign y_i}
//   D_i = Σ_j c_ij + b_i + γ b_i^{sign y_i}
//
// norms with σ held constant, activations by f(x)/x; attention as CP-LRP (patterns constant) or AttnLRP
// (products halved).
#include "explain/token_relevance.h"
#include "methods/method.h"
#include "study/memory.h"

namespace headwater {

namespace {

Attribution run(const Study& study, const MethodOptions& options) {
  Rules rules =
      lrp_rules(options.text("attention") == "constant" ? Rules::Softmax::Constant : Rules::Softmax::Exact);
  rules.linear = Rules::Linear::Lrp;
  rules.epsilon = options.number("epsilon");
  rules.gamma = options.number("gamma");
  return token_relevance(study, rules);
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions& options) {
  // The γ-rule multiplies by |W| as well.
  const std::size_t absolute = options.number("gamma") == 0 ? 0 : matrix_bytes(info, info.dtype);
  return token_relevance_bytes(info, tokens) + absolute;
}

}  // namespace

extern const Method gamma_lrp{
    .name = "gamma_lrp",
    .summary =
        "Signed relevance of every token by the γ-rule, which favours evidence with the output's sign.",
    .formula =
        "R[j] = Σᵢ c[i,j] / (Σⱼ c[i,j] + b) R[i],  c = x w + γ (x w)^{sign y};  norms of constant σ, f(x)/x",
    .paper =
        "Montavon et al., 2019: Layer-Wise Relevance Propagation: An Overview. Springer LNCS 11700; Andéol "
        "et al., 2021: Learning Domain Invariant Representations by Joint Wasserstein Distance Minimization",
    .cost = "One forward run and a pull with three products per linear layer.",
    .limits =
        "It is smoother than the ε-rule and less faithful to contradictory evidence. Biases absorb relevance "
        "(the leak ledger says how much). It is recommended for vision models with constant patterns.",
    .options = {{"gamma", "number", "0.25", "extra weight of products that have the output's sign", 0},
                lrp_epsilon_option,
                lrp_attention_option},
    .needs_target = true,
    .aliases = {"lrp_gamma"},
    .compute = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
