// Relevance of each token at the encoder's input, by one pull under a rule set: what AttnLRP, CP-LRP, ε- and
// γ-LRP are.
#pragma once

#include <headwater/report.h>

#include "study/study.h"

namespace headwater {

// [T], signed: Σ_d m ⊙ x at the input of the first block, with the leak ledger, the check that its books
// balance, and as a note what part of the target's logit the tokens add up to.
Attribution token_relevance(const Study& study, const Rules& rules);

// The rules of AttnLRP: activations by f(x)/x, norms with σ held constant, products halved. With Constant
// patterns those of CP-LRP.
constexpr Rules lrp_rules(Rules::Softmax softmax) {
  return {.activation = Rules::Activation::Secant,
          .norm = Rules::Norm::FrozenScale,
          .softmax = softmax,
          .product = Rules::Product::Halved};
}

// Several tokens are explained by a method that shares out logits through the tangent of their
// log-probabilities (Study::target_logit): a note that says so, and how much that is. Otherwise nothing.
void note_tangent(Attribution& result, const Study& study);
// What scores that sum to `sum` account for, of what the walk started from.
Account logit_account(const Study& study, double sum);

std::size_t token_relevance_bytes(const ModelInfo& info, Index tokens);

}  // namespace headwater
