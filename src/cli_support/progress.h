// A line on the terminal that says how far a long run has come; nothing when standard error is no terminal.
#pragma once

#include <chrono>

#include <headwater/request.h>

namespace headwater {

class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();  // clears the line

  void show(const Progress& progress);  // at most ten times a second, and not in the first one
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool on_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now(), last_{};
};

// "value_zeroing  42 %  about 12 s left"; without the last part when too little is done to say.
std::string progress_text(const Progress& progress, double seconds);

}  // namespace headwater
