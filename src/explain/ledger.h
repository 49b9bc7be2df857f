// Ledger: an account of relevance, op by op. It watches a pull of one seed and records, for every op, the
// relevance that came in at its output minus the relevance that went on to its inputs. The account of a walk
// balances:
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
  // The blocks of several stacks are numbered consecutively, those of the first stack first.
  Ledger(const Rules& rules, const std::vector<Stack>& stacks);

  // The hooks for Tape::pull; the ledger must outlive the walk.
  PullHooks watch();

  double seeded() const { return seeded_; }
  double leaked() const;      // over all ops
  double unfollowed() const;  // relevance that went to inputs leading to no wanted value
  // Relevance that entered the output of block l, or 0 if the walk did not reach it.
  double entering(int layer) const { return entering_[as_size(layer)]; }
  // The relevance that ops of this name lost between the model's output and block l's output (the stages
  // above it).
  double lost_above(int layer, const std::string& op) const;
  // The largest Σ |relevance| on the walk: the scale of rounding errors.
  double largest() const { return largest_; }

  // Checks that the account balances: what arrived at the source, or entered a block from `first` on, plus
  // what was lost above it, is the seed. The bound allows rounding and, as a share of the largest Σ
  // |relevance|, `guard` for guarded divisions.
  Check check_arrived(const std::string& name, double arrived, double guard = 0) const;
  // The same for every block of a model with one stack. With several stacks relevance can bypass a block.
  Check check_blocks(int first, double guard = 0) const;

  // Adds a detail "leak_<op>" for each op that lost or created relevance beyond rounding. It has one number
  // per stage: stage 0 is before the blocks, stage l + 1 is layer l, and the last is the task head. A note
  // summarises it. "unfollowed" has the same for inputs that the walk does not follow; "conservation" has the
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
