// The page of web/ (its script, its style and its two faces) and the server's description, embedded when the
// library is built (cmake/Assets.cmake).
#pragma once

#include <string_view>

namespace headwater {

std::string_view page_asset(std::string_view file);  // empty if there is no file of that name

}  // namespace headwater
