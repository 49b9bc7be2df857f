// The logits of which a target is made.
//
//   logit F        Σ z[position, index] over the wanted terms, less the same over the contrast's
//   probability F  Π p over the wanted terms, less the same over the contrast's
//
// A label or a token is one term; an answer is two, its start and its end. Several tokens are one term each,
// at consecutive rows, and "logit" then means their log-probability:
//
//   F              Σ log p[position + i, token i], less the same over the contrast's
#pragma once

#include <algorithm>
#include <vector>

#include <headwater/report.h>

namespace headwater {

// Whether there is a target: a bare encoder has no output, and a text without a mask has none to fill.
inline bool has_target(const ModelInfo& info, const Target& target) {
  return info.task != Task::FeatureExtraction && (!is_vocabulary(info.task) || target.position >= 0);
}

struct Term {
  int position, index;
};

struct Terms {
  std::vector<Term> wanted, contrast;
};

// True if F is made of log-probabilities, because target or contrast are several tokens.
inline bool has_several_tokens(const Target& target) {
  return !target.tokens.empty() || !target.contrast_tokens.empty();
}

inline Terms terms_of(const Target& target) {
  const auto answer = [](const TokenRange& span) {
    return std::vector<Term>{{span.first, 0}, {span.last, 1}};
  };
  const auto in_turn = [&](const std::vector<int>& tokens) {
    std::vector<Term> terms;
    for (const int id : tokens) terms.push_back({target.position + static_cast<int>(terms.size()), id});
    return terms;
  };
  Terms terms;
  terms.wanted = target.span              ? answer(*target.span)
                 : !target.tokens.empty() ? in_turn(target.tokens)
                                          : std::vector<Term>{{target.position, target.index}};
  if (target.contrast_span)
    terms.contrast = answer(*target.contrast_span);
  else if (!target.contrast_tokens.empty())
    terms.contrast = in_turn(target.contrast_tokens);
  else if (target.contrast)
    terms.contrast = {{target.position, *target.contrast}};
  return terms;
}

// The rows of the task head at which the terms are read, in the order of the terms. Terms may share a row;
// all do unless there are several tokens or an answer.
inline std::vector<int> target_rows(const Target& target) {
  if (!target.span && !has_several_tokens(target)) return {target.position};
  const Terms terms = terms_of(target);
  std::vector<int> rows;
  for (const std::vector<Term>* some : {&terms.wanted, &terms.contrast})
    for (const Term& term : *some) rows.push_back(term.position);
  return rows;
}

}  // namespace headwater
