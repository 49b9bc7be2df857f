#include "cli/version.h"

#include <headwater/engine.h>

namespace headwater {

std::string version_line() {
  return "headwater " + version();
}

}  // namespace headwater
