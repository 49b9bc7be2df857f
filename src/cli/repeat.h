// The command that repeats a run: the model as it was found, and what was asked for, by flag or environment.
#pragma once

#include <string>
#include <vector>

#include <headwater/report.h>

namespace headwater {

class Arguments;

// What was given on the command line or in the environment decides; where results go, how they look, and what
// does not change them (threads, memory) is left out. `without`: further flags left out. A file or text read
// from standard input cannot be named.
std::string repeat_command(const std::string& command, const Arguments& given, const RunRecord& record,
                           const std::vector<std::string>& without = {});

}  // namespace headwater
