// Reasons: the few words, or the parts of a picture, that a result says most of.
#pragma once

#include <string>

#include <headwater/report.h>

namespace headwater {

struct Reasons {
  std::string most;     // "good +2.48, so +0.98", or "the upper left (41 %), the centre (22 %)"; may be empty
  std::string against;  // the same of what has the other sign, where it is worth a word
  bool hardly = false;  // all together are less than a hundredth of what they add up to
  bool none = false;    // there is no word, or none was measured
};

// What the row that the output was read from says in that layer, special tokens and the row's own token left
// out. Words: the tokens of a word summed. Up to three, none under a quarter of the strongest but the first;
// of the other sign up to two. Pictures: ninths of it, by their share of all that has the sign.
Reasons reasons_of(const Report& report, const Attribution& attribution, Index layer);

}  // namespace headwater
