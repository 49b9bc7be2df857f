#include "cli/progress.h"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/standard_streams.h"

namespace headwater {

ProgressLine::ProgressLine(bool quiet) : on_(!quiet && ::isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  clear();
}

namespace {

// "  about 12 s left", in the largest unit of which there are two.
std::string time_left(double seconds) {
  if (seconds >= 7200) return fmt::format("  about {:.1f} h left", seconds / 3600);
  if (seconds >= 120) return fmt::format("  about {:.0f} min left", seconds / 60);
  return fmt::format("  about {:.0f} s left", seconds);
}

}  // namespace

std::string progress_text(const Progress& progress, double seconds) {
  const double done = std::clamp(progress.done, 0.0, 1.0);
  std::string text = fmt::format("{}  {:.0f} %", progress.method, 100 * done);
  if (done >= 0.02) text += time_left(seconds * (1 - done) / done);
  return text;
}

std::string count_text(const InputCount& count, double seconds) {
  if (!count.all) return fmt::format("{} done", count.done);
  std::string text = fmt::format("{} of {}", count.done, *count.all);
  const double made = static_cast<double>(count.done - count.before) + count.fraction;
  const double left = static_cast<double>(*count.all) - static_cast<double>(count.done) - count.fraction;
  if (made >= 0.02 * (made + left) || made >= 3) text += time_left(seconds * left / made);
  return text;
}

void ProgressLine::expect(std::optional<std::size_t> inputs, std::size_t before) {
  many_ = !inputs || *inputs > 1;
  inputs_ = inputs;
  before_ = done_ = before;
  start_ = Clock::now();
}

void ProgressLine::draw(const std::string& text, double seconds) {
  using std::chrono::duration;
  const Clock::time_point now = Clock::now();
  if (seconds < 1 || duration<double>(now - last_).count() < 0.1) return;
  last_ = now;
  shown_ = true;
  write_stderr(fmt::format("\r\x1b[K{}", text));
}

void ProgressLine::show(const Progress& progress) {
  if (!on_) return;
  if (progress.done <= 0 && !many_) start_ = Clock::now();
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  if (!many_) return draw(progress_text(progress, seconds), seconds);
  const double done = std::clamp(progress.done, 0.0, 1.0);
  draw(fmt::format("{}  ({} {:.0f} %)", count_text({done_, before_, inputs_}, seconds), progress.method,
                   100 * done),
       seconds);
}

void ProgressLine::show_done(std::size_t inputs) {
  done_ = inputs;
  if (!on_ || !many_) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  draw(count_text({done_, before_, inputs_}, seconds), seconds);
}

void ProgressLine::clear() {
  if (!shown_) return;
  write_stderr("\r\x1b[K");
  shown_ = false;
}

}  // namespace headwater
