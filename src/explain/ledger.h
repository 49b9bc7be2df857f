// Ledger: where relevance went, op by op. It watches a pull of one seed and books, for every op, what came in
// at its output less what went on to its inputs. The books of a walk balance:
//
//   relevance of the seed = what arrived at the source + all leaks + what went to inputs the walk does not follow
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
  // Of several stacks the blocks are counted through, those of the first stack first.
  Ledger(const Rules& rules, const std::vector<Stack>& stacks);

  // To give to Tape::pull; the ledger must outlive the walk.
  PullHooks watch();

  double seeded() const { return seeded_; }
  double leaked() const;      // over all ops
  double unfollowed() const;  // what went to inputs that lead to no wanted value
  // Relevance that entered the output of block l, or 0 if the walk did not come there.
  double entering(int layer) const { return entering_[as_size(layer)]; }
  // What ops of this name lost between the output and block l's output (stages above it).
  double lost_above(int layer, const std::string& op) const;
  // The largest Σ |relevance| met: what rounding errors are measured by.
  double largest() const { return largest_; }

  // That the books balance: what arrived at the source, or entered a block from `first` on, and what was lost
  // above it make up the seed. Both may miss rounding, and what `guard` (a share of the largest Σ
  // |relevance|) allows for divisions that are guarded.
  Check check_arrived(const std::string& name, double arrived, double guard = 0) const;
  // Of one stack, whose blocks follow each other: of several, relevance passes a block by.
  Check check_blocks(int first, double guard = 0) const;

  // Adds a detail "leak_<op>" per op that lost or made relevance, beyond rounding: one number per stage,
  // where stage 0 is what lies before the blocks, stage l + 1 is layer l, and the last is the head. And a
  // note that says it. "unfollowed" has the same for inputs the walk does not follow; "conservation" has the
  // relevance that entered the output of each block from `first` on, NaN below.
  void report(Attribution& result, int first = 0) const;

 private:
  void passed(const Passed& op);
  Check check_balance(const std::string& name, double missing, double guard) const;

  bool forms_;  // the signal is relevance, not a multiplier
  int layers_, stage_;
  std::vector<int> first_block_{0};  // by stack
  bool first_ = true;
  double seeded_ = 0, largest_ = 0;
  std::vector<double> entering_;                     // [layers]
  std::map<std::string, std::vector<double>> leak_;  // by op, [stages]
  std::vector<double> unfollowed_;                   // [stages]
  DType dtype_ = DType::Float64;                     // of the signals
};

}  // namespace headwater
