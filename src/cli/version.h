// The program's own identity. Apart from engine.h, because the command `version` bears the name of the
// library's version().
#pragma once

#include <string>

namespace headwater {

std::string version_line();  // "headwater 0.1.0"

}  // namespace headwater
