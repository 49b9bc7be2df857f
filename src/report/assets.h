// The files of web/report, embedded when the library is built (cmake/Assets.cmake).
#pragma once

#include <string_view>

namespace headwater {

std::string_view report_asset(std::string_view file);  // empty if there is none of that name

}  // namespace headwater
