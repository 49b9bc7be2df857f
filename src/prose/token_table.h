// The tokens of a text with their ids, byte spans and words.
#pragma once

#include <string>
#include <vector>

#include <headwater/formats.h>

namespace headwater {

std::string tokens_table(const std::vector<Unit>& tokens);

}  // namespace headwater
