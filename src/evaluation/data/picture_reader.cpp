// Pictures with masks: images/NAME.jpg (or .jpeg, .png) and masks/NAME.png (or trimaps/NAME.png). list.txt
// names them, one a line, perhaps with a label behind; without it all pictures that have a mask are taken, by
// name.
#include <algorithm>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/files.h"
#include "evaluation/data/evaluation_reader.h"

namespace headwater {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t largest_list = std::size_t{64} << 20;

std::string picture_named(const std::string& folder, const std::string& name) {
  for (const char* ending : {".jpg", ".jpeg", ".png", ".JPG", ".JPEG", ".PNG"})
    if (std::string path = fmt::format("{}/images/{}{}", folder, name, ending); file_exists(path))
      return path;
  return {};
}

std::vector<std::pair<std::string, std::string>> names_in(const std::string& folder) {
  std::vector<std::pair<std::string, std::string>> names;  // and labels
  if (file_exists(folder + "/list.txt")) {
    std::istringstream list(read_file(folder + "/list.txt", largest_list));
    for (std::string line; std::getline(list, line);) {
      std::istringstream cells(line);
      std::string name, label;
      if (cells >> name && !name.starts_with('#')) {
        cells >> label;
        names.emplace_back(name, label);
      }
    }
    return names;
  }
  for (const std::string& name : entries_of(folder + "/images"))
    names.emplace_back(fs::path(name).stem().string(), "");
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

EvaluationFile read_masked_pictures(const std::string& folder, std::size_t limit) {
  const std::string masks = folder + (is_directory(folder + "/masks") ? "/masks/" : "/trimaps/");
  EvaluationFile read;
  std::vector<std::string> texts;
  std::size_t bare = 0;
  for (const auto& [name, label] : names_in(folder)) {
    if (limit > 0 && read.examples.size() >= limit) break;
    EvaluationExample made{.gold = label, .name = fmt::format("{}/{}", folder, name)};
    made.input.image = picture_named(folder, name);
    if (made.input.image.empty())
      throw InputError(
          fmt::format("{}/list.txt: expected images/{}.jpg or .png, found neither", folder, name));
    if (file_exists(masks + name + ".png"))
      made.mask = masks + name + ".png";
    else
      ++bare;
    for (const std::string& path : {made.input.image, made.mask})
      texts.push_back(path.empty() ? path : sha256_hex(MappedFile::open(path)->bytes()));
    texts.push_back(label);
    read.examples.push_back(std::move(made));
  }
  if (read.examples.empty()) throw InputError(fmt::format("{}: expected pictures, found none", folder));
  read.understood = fmt::format("pictures: {}, of which {} have no mask", read.examples.size(), bare);
  read.identity = hash_of_texts(texts);
  return read;
}

}  // namespace headwater
