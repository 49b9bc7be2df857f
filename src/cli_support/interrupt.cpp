#include "cli_support/interrupt.h"

#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>

#include <unistd.h>

namespace headwater {
namespace {

// Read by a signal handler, which may not allocate: the path lies in fixed storage, and the flag is set
// only while it is complete.
std::array<char, PATH_MAX> doomed_path{};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<bool> doomed{false};           // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void end_quietly(int signal) {
  if (doomed.load()) ::unlink(doomed_path.data());
  ::_exit(128 + signal);
}

}  // namespace

void handle_interrupts() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    action.sa_handler = end_quietly;
    struct sigaction inherited {};
    // nohup and job control ask us to ignore some of them: obey.
    if (::sigaction(signal, nullptr, &inherited) == 0 && inherited.sa_handler == SIG_IGN) continue;
    ::sigaction(signal, &action, nullptr);
  }
  // A reader that has seen enough (`| head`) ends us silently, even where a parent ignored the signal.
  std::signal(SIGPIPE, SIG_DFL);
}

RemoveOnInterrupt::RemoveOnInterrupt(const std::string& path) {
  if (path.size() >= doomed_path.size()) return;
  std::memcpy(doomed_path.data(), path.c_str(), path.size() + 1);
  doomed.store(true);
}

RemoveOnInterrupt::~RemoveOnInterrupt() {
  doomed.store(false);
}

}  // namespace headwater
