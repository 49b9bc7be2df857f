// Ledger: where relevance went, op by op. It watches a pull of one seed and books, for every op, what came in
// at its output less what went on to its inputs. The books of a walk balance:
//
//   what the seed brought = what arrived at the source + all leaks
#pragma once

#include <map>
#include <string>
#include <vector>

#include <headwater/report.h>

#include "tape/tape.h"

namespace headwater {

class Ledger {
 public:
  Ledger(const Rules& rules, int layers);

  // To give to Tape::pull; the ledger must outlive the walk.
  PullHooks watch();

  double seeded() const { return seeded_; }
  double leaked() const;  // over all ops
  // Relevance that entered the output of block l, or 0 if the walk did not come there.
  double entering(int layer) const { return entering_[static_cast<std::size_t>(layer)]; }
  // What ops of this name lost between the output and block l's output (stages above it).
  double lost_above(int layer, const std::string& op) const;
  // The largest Σ |relevance| met: what rounding errors are measured by.
  double largest() const { return largest_; }

  // Adds a detail "leak_<op>" per op that lost or made relevance: one number per stage, where stage 0 is
  // what lies before the blocks, stage l + 1 is layer l, and the last is the head. And a note that says it.
  void report(Attribution& result) const;

 private:
  void passed(const Passed& op);

  bool forms_;  // the signal is relevance, not a multiplier
  int layers_, stage_;
  bool first_ = true;
  double seeded_ = 0, largest_ = 0;
  std::vector<double> entering_;                     // [layers]
  std::map<std::string, std::vector<double>> leak_;  // by op, [stages]
};

}  // namespace headwater
