// Where the models that come with the program are.
#pragma once

#include <string>
#include <vector>

namespace headwater {

// Folders that hold shipped models by name, first wins: $HEADWATER_MODELS (entries separated by ':'),
// models/ in the library's own folder (a Python package), <prefix>/share/headwater/models beside the library
// and beside the executable, the source tree's models/.
std::vector<std::string> shipped_model_folders();

// "/usr/lib/x86_64-linux-gnu/libheadwater.so" → every <prefix>/share/headwater/models above it, nearest
// first.
std::vector<std::string> shared_folders_above(const std::string& file);

}  // namespace headwater
