// Game: F of the input when some of its units are removed. Coalitions run in batches that fit the study's
// scratch memory, and equal ones run once. The bits of a value do not depend on its batch.
#pragma once

#include <vector>

#include "explain/objective.h"
#include "explain/replacement.h"
#include "explain/units.h"

namespace headwater {

using Coalition = std::vector<bool>;  // per unit: whether it is present

struct GameOptions {
  std::string_view replace;   // a name that replacement_of knows
  std::string_view unit;      // "token" or "word"
  bool with_special = false;  // special tokens may be removed too
};

class Game {
 public:
  // Throws InputError if deletion would leave no token, or would change the tokens over which an answer's
  // probability is normalised.
  Game(const Study& study, const Objective& objective, const GameOptions& options);

  const Units& units() const { return units_; }
  Replacement replacement() const { return replacement_; }
  // Reports progress from 0 to 1 to the study.
  std::vector<double> values(const std::vector<Coalition>& coalitions) const;

 private:
  std::vector<double> replaced(const std::vector<Coalition>& coalitions) const;
  std::vector<double> deleted(const std::vector<Coalition>& coalitions) const;
  Batch without(const Coalition& coalition) const;
  Index copies() const;

  const Study& study_;
  const Objective& objective_;
  Replacement replacement_;
  Units units_;
  Tensor absent_;  // [T, D] at Site::Embed; empty when units are deleted
};

std::size_t game_bytes(const ModelInfo& info, Index tokens);  // of one copy
// Bytes of a game with this many coalitions (0: 2 · tokens + 512) and of a regression on them.
std::size_t sampled_game_bytes(const ModelInfo& info, Index tokens, int samples, std::size_t matrices);

// Checks that the edited run with every unit present equals the run itself, up to rounding of the target.
Check check_nothing_removed(const Game& game, double value);

}  // namespace headwater
