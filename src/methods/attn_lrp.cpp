// AttnLRP (Achtibat et al., 2024) in its gradient form: an ordinary backward walk from the logit with
//
//   activations  f(x)/x in place of f'(x)
//   norms        σ held constant, the mean differentiated
//   products     half to each factor (pattern · v, q · k, gates); softmax as it is
//
// and R = x ⊙ m at the encoder's input. It equals the explicit rules with ε → 0, and is as stable as a
// gradient.
#include "explain/token_relevance.h"
#include "methods/method.h"

namespace headwater {

extern const Method attn_lrp{
    .name = "attn_lrp",
    .summary =
        "Signed relevance of every token for the output, by layer-wise relevance propagation with rules for "
        "attention.",
    .title = "AttnLRP",
    .formula = "R[t] = Σ_d x[t,d] m[t,d];  m pulled with f(x)/x, norms of constant σ, products halved",
    .paper =
        "Achtibat et al., 2024: AttnLRP: Attention-Aware Layer-Wise Relevance Propagation for Transformers. "
        "ICML",
    .cost = "One forward run and one pull.",
    .limits =
        "It does not conserve relevance: biases absorb some, and the softmax rule absorbs or creates some "
        "(the leak ledger says how much). Decoders tend to put mass on the first token; a contrast of two "
        "tokens helps.",
    .needs_target = true,
    .aliases = {"attention_lrp"},
    .role = Role::QuickAnswer,
    .compute = [](const Study& study,
                  const MethodOptions&) { return token_relevance(study, lrp_rules(Rules::Softmax::Exact)); },
    .planned_bytes = planned<token_relevance_bytes>,
};

}  // namespace headwater
