#include "cli/interrupt.h"

#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>

#include <unistd.h>

namespace headwater {
namespace {

// Read by a signal handler, which may not allocate: the text lies in fixed storage, and the flag is set only
// while it is complete.
struct FixedText {
  std::array<char, 2U * PATH_MAX> text{};
  std::atomic<bool> set{false};

  void keep(const std::string& words) {
    if (words.size() >= text.size()) return;
    std::memcpy(text.data(), words.c_str(), words.size() + 1);
    set.store(true);
  }
};
FixedText doomed_path;   // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
FixedText last_message;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void end_quietly(int signal) {
  if (doomed_path.set.load()) ::unlink(doomed_path.text.data());
  if (last_message.set.load()) {
    const char* text = last_message.text.data();
    static_cast<void>(::write(STDERR_FILENO, text, std::strlen(text)) + 1);
  }
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

OnInterrupt::OnInterrupt(Do what, const std::string& text) : what_(what) {
  (what == Do::Remove ? doomed_path : last_message).keep(text);
}

OnInterrupt::~OnInterrupt() {
  (what_ == Do::Remove ? doomed_path : last_message).set.store(false);
}

}  // namespace headwater
