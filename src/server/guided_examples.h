// What an empty page offers to begin with: one click each, for the models it suits.
#pragma once

#include <string>
#include <vector>

#include "server/answers.h"

namespace headwater {

std::vector<GuidedExample> guided_examples(const ModelInfo& info, const std::string& mask);

}  // namespace headwater
