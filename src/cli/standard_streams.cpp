#include "cli/standard_streams.h"

#include <cstdio>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace headwater {

void keep_standard_streams() {
  // The lowest free number is taken, so in this order each lands on its own. Opened the wrong way round,
  // standard input and output answer with an error instead of losing data without a word.
  for (const auto& [number, flags] :
       {std::pair{STDIN_FILENO, O_WRONLY}, {STDOUT_FILENO, O_RDONLY}, {STDERR_FILENO, O_WRONLY}})
    if (::fcntl(number, F_GETFD) == -1) static_cast<void>(::open("/dev/null", flags));
}

void write_stderr(std::string_view text) noexcept {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fflush(stderr));
}

}  // namespace headwater
