#include "cli/version.h"

#include <headwater/engine.h>

namespace headwater {

std::string version_line() {
  return "headwater " + version();
}

std::string build_compiler() {
  return HEADWATER_COMPILER;
}

std::string build_type() {
  return HEADWATER_BUILD_TYPE;
}

}  // namespace headwater
