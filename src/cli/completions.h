// Shell completions, generated from the command line itself so that they never drift from it.
#pragma once

#include <string>

#include "cli/describe.h"

namespace headwater {

std::string bash_completion(const ProgramText& program);
std::string zsh_completion(const ProgramText& program);
std::string fish_completion(const ProgramText& program);

}  // namespace headwater
