// The logits a target is made of.
//
//   logit F        Σ z[position, index] over the wanted terms, less the same over the contrast's
//   probability F  Π p over the wanted terms, less the same over the contrast's
//
// A label or a token is one term; an answer is two, its start and its end.
#pragma once

#include <vector>

#include <headwater/report.h>

namespace headwater {

struct Term {
  int position, index;
};

struct Terms {
  std::vector<Term> wanted, contrast;
};

inline Terms terms_of(const Target& target) {
  const auto answer = [](const TokenRange& span) {
    return std::vector<Term>{{span.first, 0}, {span.last, 1}};
  };
  Terms terms;
  terms.wanted = target.span ? answer(*target.span) : std::vector<Term>{{target.position, target.index}};
  if (target.contrast_span)
    terms.contrast = answer(*target.contrast_span);
  else if (target.contrast)
    terms.contrast = {{target.position, *target.contrast}};
  return terms;
}

}  // namespace headwater
