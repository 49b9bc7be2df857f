// The three standard streams as a careful program finds them: perhaps closed, perhaps full.
#pragma once

#include <string_view>

namespace headwater {

// Takes the places of standard streams that are closed, so that no file opened later becomes one of them:
// what is then read from standard input or written to standard output fails, and standard error swallows.
void keep_standard_streams();

// Messages are not worth failing for: what cannot be written is lost.
void write_stderr(std::string_view text) noexcept;

}  // namespace headwater
