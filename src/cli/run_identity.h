// What two runs must have in common for their results to stand in one file: inputs, options that can change a
// number, model and program.
#pragma once

#include <string>
#include <vector>

#include <headwater/engine.h>

#include "base/json_fwd.h"
#include "cli/arguments.h"

namespace headwater {

// `inputs`: their hash. `shown`: options of the command that only say how things are shown, or how far a run
// goes; those that say where things are never count.
OrderedJson run_identity(const Engine& engine, const std::string& command, const std::string& inputs,
                         const std::vector<GivenOption>& given, const std::vector<std::string>& shown);

}  // namespace headwater
