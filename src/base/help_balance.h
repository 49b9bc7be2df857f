// HelpBalance: is the help of other threads worth waiting for?
//
// Beside other work a helping thread may take a piece and be held back by the system for milliseconds, in
// which the owner of the loop could have done the piece many times. What help saved (pieces done by others,
// at the time a piece takes) is weighed against what it cost (waiting for them at the end); old experience
// fades. Where it cost more, the owner works alone for a while and then tries again.
//
// Times are seconds of any clock that only goes forwards. Not thread-safe: its owner asks and tells.
#pragma once

#include <cmath>

namespace headwater {

class HelpBalance {
 public:
  // Whether to call for help now.
  bool wanted(double now) const { return now >= alone_until_; }

  void tell(double saved, double waited, double now) {
    const double kept = std::exp2(-(now - told_) / half_life);
    told_ = now;
    saved_ = kept * saved_ + saved;
    waited_ = kept * waited_ + waited;
    if (waited_ < least_waited || waited_ < saved_) return;
    alone_until_ = now + pause;
    saved_ = waited_ = 0;
  }

 private:
  static constexpr double half_life = 0.05;
  static constexpr double pause = 0.05;
  static constexpr double least_waited = 0.002;  // one late thread says nothing yet
  double saved_ = 0, waited_ = 0, told_ = 0, alone_until_ = 0;
};

}  // namespace headwater
