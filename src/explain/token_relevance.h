// Relevance of each token at the encoder's input, by one pull under a rule set. AttnLRP, CP-LRP, ε-LRP and
// γ-LRP are such methods.
#pragma once

#include <headwater/report.h>

#include "study/study.h"

namespace headwater {

// Signed scores [T]: Σ_d m ⊙ x at the input of the first block, with the leak ledger, the check that the
// ledger balances, and a note that compares the sum of the tokens with the target's logit.
Attribution token_relevance(const Study& study, const Rules& rules);

// The rules of AttnLRP: activations by f(x)/x, norms with σ held constant, products halved. With Constant
// they are those of CP-LRP.
constexpr Rules lrp_rules(Rules::Softmax softmax) {
  return {.activation = Rules::Activation::Secant,
          .norm = Rules::Norm::FrozenScale,
          .softmax = softmax,
          .product = Rules::Product::Halved};
}

// Adds a note if the target is several tokens: the method then shares logits through the tangent of their
// log-probabilities (Study::target_logit), and the note says how much that is.
void note_tangent(Attribution& result, const Study& study);
// What scores that sum to `sum` account for, of what the walk started from.
Account logit_account(const Study& study, double sum);

std::size_t token_relevance_bytes(const ModelInfo& info, Index tokens);

}  // namespace headwater
