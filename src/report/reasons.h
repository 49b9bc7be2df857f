// Reasons: the few words, or parts of a picture, with the largest scores of a result.
#pragma once

#include <string>

#include <headwater/report.h>

namespace headwater {

struct Reasons {
  std::string most;     // "good +2.48, so +0.98", or "the upper left (41 %), the centre (22 %)"; may be empty
  std::string against;  // the same for the other sign, if it is large enough
  bool hardly = false;  // together they are less than a hundredth of the sum
  bool none = false;    // the input has no word, or none was measured
};

// The reasons in that layer's row that the output was read from, without special tokens and the row's own
// token. For words, the tokens of a word are summed. There are up to three reasons, none except the first
// under a quarter of the strongest, and up to two of the other sign. For pictures the parts are ninths, by
// their share of all that has the sign.
Reasons reasons_of(const Report& report, const Attribution& attribution, Index layer);

}  // namespace headwater
