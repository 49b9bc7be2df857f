// Game: F of the input with some of its units taken away. Coalitions are run in batches that fit the study's
// scratch memory, equal ones once; a value's bits do not depend on its batch.
#pragma once

#include <vector>

#include "explain/objective.h"
#include "explain/replacement.h"
#include "explain/units.h"

namespace headwater {

using Coalition = std::vector<bool>;  // per unit: is it there?

struct GameOptions {
  std::string_view replace;   // of replacement_of
  std::string_view unit;      // "token" or "word"
  bool with_special = false;  // special tokens may be taken away too
};

class Game {
 public:
  // Throws InputError if deleting would leave no token, or would change the tokens an answer's probability
  // runs over.
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
// With this many coalitions, or 2 · tokens + 512 of them, and a regression on them.
std::size_t sampled_game_bytes(const ModelInfo& info, Index tokens, int samples, std::size_t matrices);

// The edited run with everything there must be the run itself, bit for bit up to rounding of the target.
Check check_nothing_removed(const Game& game, double value);

}  // namespace headwater
