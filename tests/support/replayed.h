// The value of `to` when `from` had been `changed`.
#pragma once

#include "tape/tape.h"

namespace headwater::testing {

inline Tensor replayed(const Tape& tape, const Var& from, const Tensor& changed, const Var& to) {
  Tape again(Keep::Nothing);
  const Changed change{.at = from, .copies = changed};
  return tape.replay({&change, 1}, to, again).value.value;
}

}  // namespace headwater::testing
