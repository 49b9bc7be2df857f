// Reasons: the few words, or the parts of a picture, that a result says most of.
#pragma once

#include <string>

#include <headwater/report.h>

namespace headwater {

// Of a contrast: whether the model prefers what the target was set against.
bool prefers_contrast(const Report& report);

// Whether the scores tell for from against. Of a method that is not known nobody knows, and they do not.
bool has_sign(const Attribution& attribution);

struct Reasons {
  // "good +2.48, so +0.98", or "41 % in the upper left, 22 % in the middle"; may be empty. Of a contrast:
  // what counts for the side that the model prefers; the signs stay those of the scores.
  std::string most;
  std::string against;   // the same of what counts for the other side, where it is worth a word
  std::string special;   // special tokens whose score is larger than every word's
  bool has_sign = true;  // false: the scores do not tell for from against
  bool hardly = false;   // all together are less than a hundredth of what they add up to
  bool none = false;     // there is no word, or none was measured
};

// What the row that the output was read from says in that layer, the row's own token left out. Words: the
// tokens of a word summed. Up to three, none under a quarter of the strongest but the first; of the other
// side up to two. Pictures: ninths of it, by their share of all that has the sign.
Reasons reasons_of(const Report& report, const Attribution& attribution, Index layer);

}  // namespace headwater
