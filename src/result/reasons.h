// Reasons: the few words, or parts of a picture, with the largest scores of a result.
#pragma once

#include <string>

#include <headwater/report.h>

namespace headwater {

// Of a contrast: whether the model prefers what the target was set against.
bool prefers_contrast(const Report& report);

struct Reasons {
  // "good +2.48, so +0.98", or "41 % in the upper left, 22 % in the middle"; may be empty. For a contrast:
  // what counts for the side that the model prefers; the signs stay those of the scores.
  std::string most;
  std::string against;   // the same for the other side, if it is large enough
  std::string special;   // special tokens whose score is larger than every word's
  bool has_sign = true;  // false: the scores do not tell for from against
  bool hardly = false;   // together they are less than a hundredth of the sum
  bool none = false;     // the input has no word, or none was measured
  bool spread = false;   // no part of the picture has much more than the others
};

// The reasons in that layer's row that the output was read from, without the row's own token. For words, the
// tokens of a word are summed. There are up to three reasons, none except the first under a quarter of the
// strongest, and up to two of the other side. For pictures the parts are ninths, by their share of all that
// has the sign.
Reasons reasons_of(const Report& report, const Attribution& attribution, Index layer);

}  // namespace headwater
