// The name of the JSON type alone: nlohmann's header costs every file that sees it a second of compilation.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace headwater {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;  // keys in the order they were written

}  // namespace headwater
