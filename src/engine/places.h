// The folders of the models that ship with the program.
#pragma once

#include <string>
#include <vector>

namespace headwater {

// Folders that hold shipped models by name; the first one wins: $HEADWATER_MODELS (entries separated by ':'),
// models/ in the library's own folder (a Python package), <prefix>/share/headwater/models beside the library
// and beside the executable, the source tree's models/.
std::vector<std::string> shipped_model_folders();

// Every <prefix>/share/headwater/models above a file such as "/usr/lib/x86_64-linux-gnu/libheadwater.so",
// nearest first.
std::vector<std::string> shared_folders_above(const std::string& file);

}  // namespace headwater
