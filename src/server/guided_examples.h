// What an empty page offers to begin with: one click each, for the models it suits.
#pragma once

#include <string>

#include <headwater/model_info.h>

#include "base/json.h"

namespace headwater {

// A list of {"title", "text", "pair", "image", "prefix", "methods", "target", "contrast", "tab"}; what an
// example does not say it does not have.
OrderedJson guided_examples(const ModelInfo& info, const std::string& mask);

}  // namespace headwater
