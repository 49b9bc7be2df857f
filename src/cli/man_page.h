// The manual page headwater(1), in the man macros of roff, from the command line itself.
#pragma once

#include <string>

#include "cli/describe.h"

namespace headwater {

std::string man_page(const ProgramText& program, const std::string& version);

}  // namespace headwater
