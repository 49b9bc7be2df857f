#include "engine/places.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <dlfcn.h>
#include <headwater/engine.h>

namespace headwater {

namespace fs = std::filesystem;

namespace {

std::string library_path() {
  Dl_info found{};
  if (dladdr(reinterpret_cast<const void*>(&version), &found) == 0 || found.dli_fname == nullptr) return {};
  std::error_code ignored;
  const fs::path path = fs::canonical(found.dli_fname, ignored);
  return path.string();
}

std::string executable_path() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).string();
}

}  // namespace

std::vector<std::string> shared_folders_above(const std::string& file) {
  std::vector<std::string> folders;
  // lib/<triplet>/libheadwater.so and bin/headwater both lie at most three levels below the prefix.
  fs::path prefix = fs::path(file).parent_path();
  for (int level = 0; level < 3 && prefix.has_relative_path(); ++level) {
    prefix = prefix.parent_path();
    folders.push_back((prefix / "share" / "headwater" / "models").string());
  }
  return folders;
}

std::vector<std::string> shipped_model_folders() {
  std::vector<std::string> folders;
  const auto add = [&](const std::string& folder) {
    if (!folder.empty() && std::find(folders.begin(), folders.end(), folder) == folders.end())
      folders.push_back(folder);
  };
  if (const char* named = std::getenv("HEADWATER_MODELS")) {
    const std::string list = named;
    for (std::size_t begin = 0; begin <= list.size();) {
      const std::size_t end = std::min(list.find(':', begin), list.size());
      add(list.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  if (const std::string library = library_path(); !library.empty())
    add((fs::path(library).parent_path() / "models").string());
  for (const std::string& file : {library_path(), executable_path()})
    for (const std::string& folder : shared_folders_above(file)) add(folder);
#ifdef HEADWATER_SOURCE_MODELS
  add(HEADWATER_SOURCE_MODELS);
#endif
  return folders;
}

}  // namespace headwater
