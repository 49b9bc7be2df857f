#include "checkpoint/checkpoint.h"

#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/json.h"
#include "base/utf8.h"

namespace headwater {
namespace {

namespace fs = std::filesystem;

// Reads the index: tensor name → shard, each shard a plain file name in the same folder.
std::map<std::string, std::string> read_weight_map(const std::string& path) {
  const Json index = read_json_file(path);
  const auto fail = [&](const std::string& expected, const Json& found) {
    throw FormatError(fmt::format("{}: expected {}, found {}", path, expected, printed(found)));
  };
  if (!index.is_object()) fail("a JSON object with weight_map", index);
  const auto map = index.find("weight_map");
  if (map == index.end()) fail("weight_map", "none");
  if (!map->is_object() || map->empty()) fail("weight_map to map tensor names to files", *map);
  std::map<std::string, std::string> shards;
  for (const auto& [name, file] : map->items()) {
    if (!file.is_string()) fail("weight_map to map tensor names to files", file);
    const auto& shard = file.get_ref<const std::string&>();
    // A shard may not lead out of the folder.
    if (shard.empty() || shard == "." || shard == ".." ||
        shard.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos)
      fail("weight_map to name files of this folder, without a path", file);
    shards.emplace(name, shard);
  }
  return shards;
}

std::vector<Safetensors> open_shards(const std::string& folder, const std::string& index_path) {
  const auto shards = read_weight_map(index_path);
  std::map<std::string, Safetensors> files;  // by shard name, so in a fixed order
  for (const auto& [name, shard] : shards) {
    if (!files.contains(shard)) {
      const std::string path = fmt::format("{}/{}", folder, shard);
      if (!file_exists(path))
        throw FormatError(
            fmt::format("{}: expected this shard, which {} names, found none; the download is "
                        "incomplete, repeat it",
                        printable(path), index_path));
      files.emplace(shard, Safetensors::open(path));
    }
    const Safetensors& file = files.at(shard);
    if (!file.tensors().contains(name))
      throw FormatError(fmt::format("{}: tensor {}: expected in this file by {}, found none", file.where(),
                                    printable(name), index_path));
  }
  std::vector<Safetensors> result;
  result.reserve(files.size());
  for (auto& [shard, file] : files) result.push_back(std::move(file));
  return result;
}

// Files of a folder that end like this, in order.
std::vector<std::string> files_ending_in(const std::string& folder, std::string_view extension) {
  std::vector<std::string> names = entries_of(folder);
  std::erase_if(names, [&](const std::string& name) { return fs::path(name).extension() != extension; });
  return names;
}

// Formats whose weights transformers can read and write again as safetensors; how it must be asked.
std::string conversion(const std::string& folder, std::string_view file, std::string_view how) {
  return fmt::format(
      "{}: {} cannot be read, only safetensors; convert it once with Python:\n"
      "  import transformers; d = '{}'\n"
      "  getattr(transformers, "
      "transformers.AutoConfig.from_pretrained(d).architectures[0]).from_pretrained(d{})"
      ".save_pretrained(d, safe_serialization=True)",
      folder, printable(file), printable(folder), how);
}

[[noreturn]] void fail_without_weights(const std::string& folder) {
  for (const auto& [extension, how] : {std::pair{".bin", ""},
                                       {".pt", ""},
                                       {".pth", ""},
                                       {".h5", ", from_tf=True"},
                                       {".ckpt", ", from_tf=True"},
                                       {".msgpack", ", from_flax=True"}})
    if (const auto found = files_ending_in(folder, extension); !found.empty())
      throw Unsupported(conversion(folder, found.front(), how));
  // Exports that cannot be turned back by loading and saving.
  for (const auto& [extension, why] :
       {std::pair{".gguf", "GGUF holds another program's weights, mostly rounded to a few bits"},
        {".onnx", "ONNX holds a graph, in which the model's parts have lost their names"}})
    if (const auto found = files_ending_in(folder, extension); !found.empty())
      throw Unsupported(fmt::format(
          "{}: {} cannot be read, only safetensors: {}; give the Hugging Face folder it was made from",
          folder, printable(found.front()), why));
  throw FormatError(
      fmt::format("{}: expected model.safetensors or model.safetensors.index.json, found neither; give the "
                  "folder that save_pretrained() wrote",
                  folder));
}

// The only safetensors file of a folder, whatever its name. Several need an index that says what is where.
Safetensors open_only_file(const std::string& folder) {
  const std::vector<std::string> files = files_ending_in(folder, ".safetensors");
  if (files.empty()) fail_without_weights(folder);
  if (files.size() > 1)
    throw FormatError(
        fmt::format("{}: expected model.safetensors or model.safetensors.index.json, found {} and no index "
                    "that says which "
                    "belong together; fetch the index, or keep one of them as model.safetensors",
                    folder, printable(fmt::format("{}", fmt::join(files, ", ")))));
  if (files.front().starts_with("adapter_"))
    throw Unsupported(
        fmt::format("{}: {} holds an adapter, which changes another model; merge the two once with Python "
                    "(peft: merge_and_unload(), then save_pretrained()) and give that folder",
                    folder, printable(files.front())));
  return Safetensors::open(fmt::format("{}/{}", folder, files.front()));
}

// Weights that other programs would change while they load them: read as they stand they are another model.
void require_plain_weights(const std::string& folder, const Config& config) {
  if (config.has("quantization_config")) {
    const Config how = config.section("quantization_config");
    const std::string method = how.has("quant_method") ? how.text("quant_method") : "";
    const std::string name = method == "bitsandbytes" || how.has("load_in_8bit") || how.has("load_in_4bit")
                                 ? "bitsandbytes"
                             : method == "gptq" ? "GPTQ"
                             : method == "awq"  ? "AWQ"
                             : method.empty()   ? "a method it does not name"
                                                : printable(method);
    throw Unsupported(
        fmt::format("{}: expected weights as float32, float16 or bfloat16, found quantised ones "
                    "(quantization_config: {}); "
                    "give the folder they were made from, or turn them back once with Python: "
                    "model.dequantize().save_pretrained(FOLDER)",
                    config.where(), name));
  }
  if (file_exists(folder + "/adapter_config.json"))
    throw Unsupported(fmt::format(
        "{}/adapter_config.json: expected a model alone, found an adapter beside it, which would "
        "change its weights; merge the two once with Python (peft: merge_and_unload(), then "
        "save_pretrained()) and give that folder, or move the adapter away to use the model without",
        folder));
}

}  // namespace

Checkpoint open_checkpoint(const ModelFolder& folder, DType dtype) {
  Config config = Config::read(folder.path + "/config.json");
  const std::string single = folder.path + "/model.safetensors";
  const std::string index = folder.path + "/model.safetensors.index.json";
  if (file_exists(single) || file_exists(index)) require_plain_weights(folder.path, config);
  std::vector<Safetensors> files;
  if (file_exists(single))
    files.push_back(Safetensors::open(single));
  else if (file_exists(index))
    files = open_shards(folder.path, index);
  else
    files.push_back(open_only_file(folder.path));

  std::vector<std::string> paths;
  paths.reserve(files.size());
  for (const Safetensors& file : files) paths.push_back(file.where());
  return {.folder = folder,
          .config = std::move(config),
          .weights = Weights(std::move(files), dtype),
          .weight_files = std::move(paths)};
}

std::string weights_sha256(const Checkpoint& checkpoint) {
  std::string digests;
  for (const std::string& path : checkpoint.weight_files) digests += sha256_hex(*MappedFile::open(path));
  if (checkpoint.weight_files.size() == 1) return digests;
  return sha256_hex(std::as_bytes(std::span(digests)));
}

}  // namespace headwater
