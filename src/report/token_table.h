// The tokens of a text with their ids, byte spans and words.
#pragma once

#include <string>
#include <vector>

#include <headwater/report.h>

namespace headwater {

std::string tokens_table(const std::vector<Unit>& tokens);
std::string tokens_json(const std::vector<Unit>& tokens, int indent);  // −1: on one line

}  // namespace headwater
