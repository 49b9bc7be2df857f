// A line on the terminal with the progress of a long run; nothing if standard error is not a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include <headwater/request.h>

namespace headwater {

class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();  // clears the line

  // For many inputs: the line shows how many are done, and the time left for all. `before` is the number done
  // by an earlier run.
  void expect(std::optional<std::size_t> inputs, std::size_t before);
  bool on() const { return on_; }       // standard error is a terminal
  void show(const Progress& progress);  // at most ten times a second, and not in the first one
  void show_done(std::size_t inputs);   // whole inputs, those of an earlier run included
  void clear();

 private:
  void draw(const std::string& text, double seconds);

  using Clock = std::chrono::steady_clock;
  bool on_;
  bool shown_ = false;
  bool many_ = false;
  std::optional<std::size_t> inputs_;
  std::size_t before_ = 0, done_ = 0;
  Clock::time_point start_ = Clock::now(), last_{};
};

// How far many inputs have come: "17 of 872  about 12 s left". `fraction`: of the input that is being done.
struct InputCount {
  std::size_t done = 0, before = 0;
  std::optional<std::size_t> all;
  double fraction = 0;
};
std::string count_text(const InputCount& count, double seconds);

// "value_zeroing  42 %  about 12 s left"; without the last part when too little is done to say.
std::string progress_text(const Progress& progress, double seconds);

}  // namespace headwater
