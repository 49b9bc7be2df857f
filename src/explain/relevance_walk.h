// The relevance pass of Chefer et al. (2021) and of the LRP they compare with: one pull of relevance forms.
#pragma once

#include <vector>

#include "explain/ledger.h"
#include "study/study.h"

namespace headwater {

struct RelevanceWalk {
  Rules rules;  // with a relevance form
  DType dtype;  // of the relevance
  std::vector<Place> wanted;
};

// The rules of the form for this model; with `reference`, those of the public code with its guards and extra
// steps.
Rules relevance_rules(Rules::Relevance form, bool reference, const ModelInfo& info);

// Pulls relevance 1 at the target's logit (−1 at a contrast's) to the wanted values. `ledger` may be null.
// Throws Unsupported for a target of several tokens, because log-probabilities are not logits.
Signals walk_relevance(const Study& study, const RelevanceWalk& walk, Ledger* ledger);

// Bytes of the walk beyond the run: signals of a block, parts of W and, in another type, W itself.
std::size_t relevance_walk_bytes(const ModelInfo& info, Index tokens, const Rules& rules, DType dtype);

}  // namespace headwater
