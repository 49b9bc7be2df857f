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

// The rules of the form over this model, with the public code's guards and extra steps if `reference`.
Rules relevance_rules(Rules::Relevance form, bool reference, const ModelInfo& info);

// Relevance 1 at the target's logit (−1 at a contrast's), pulled to the wanted values. `ledger` may be null.
// Throws Unsupported for a target of several tokens, whose log-probabilities are no logits.
Signals walk_relevance(const Study& study, const RelevanceWalk& walk, Ledger* ledger);

// What the walk needs beside the run: signals of a block, parts of W and, in another type, W itself.
std::size_t relevance_walk_bytes(const ModelInfo& info, Index tokens, const Rules& rules, DType dtype);

}  // namespace headwater
