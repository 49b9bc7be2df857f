// CP-LRP, "conservative propagation" (Ali et al., 2022): a backward walk from the logit in which
//
//   the pattern is a given number (nothing flows to queries and keys, values get all)
//   norms hold σ constant, activations use f(x)/x, a gate gives half to each factor
//
// and R = x ⊙ m at the encoder's input. Without biases it conserves: Σ R = the logit.
#include "explain/token_relevance.h"
#include "methods/method.h"

namespace headwater {

extern const Method cp_lrp{
    .name = "cp_lrp",
    .summary = "Signed relevance of every token for the output, with attention patterns held constant.",
    .title = "CP-LRP",
    .formula = "R[t] = Σ_d x[t,d] m[t,d];  m pulled with constant patterns, norms of constant σ, f(x)/x",
    .paper =
        "Ali et al., 2022: XAI for Transformers: Better Explanations through Conservative Propagation. ICML",
    .cost = "One forward run and one pull without the paths to queries and keys.",
    .limits =
        "It says what values carried, not why the model looked there. It conserves relevance except for what "
        "biases absorb; the leak ledger shows their share.",
    .needs_target = true,
    .compute =
        [](const Study& study, const MethodOptions&) {
          return token_relevance(study, lrp_rules(Rules::Softmax::Constant));
        },
    .planned_bytes = planned<token_relevance_bytes>,
};

}  // namespace headwater
