#include "cli_support/progress.h"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

#include "cli_support/standard_streams.h"

namespace headwater {

ProgressLine::ProgressLine(bool quiet) : on_(!quiet && ::isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  clear();
}

std::string progress_text(const Progress& progress, double seconds) {
  const double done = std::clamp(progress.done, 0.0, 1.0);
  std::string text = fmt::format("{}  {:.0f} %", progress.method, 100 * done);
  if (done >= 0.02) text += fmt::format("  about {:.0f} s left", seconds * (1 - done) / done);
  return text;
}

void ProgressLine::show(const Progress& progress) {
  if (!on_) return;
  using std::chrono::duration;
  const Clock::time_point now = Clock::now();
  if (progress.done <= 0) start_ = now;
  const double seconds = duration<double>(now - start_).count();
  if (seconds < 1 || duration<double>(now - last_).count() < 0.1) return;
  last_ = now;
  shown_ = true;
  write_stderr(fmt::format("\r\x1b[K{}", progress_text(progress, seconds)));
}

void ProgressLine::clear() {
  if (!shown_) return;
  write_stderr("\r\x1b[K");
  shown_ = false;
}

}  // namespace headwater
