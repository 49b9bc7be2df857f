#include "files/results.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/json.h"
#include "base/strings.h"
#include "checkpoint/safetensors.h"

namespace headwater {
namespace {

// What says how a run was made.
bool is_circumstance(const std::string& key) {
  static const std::set<std::string> keys{"record",  "command", "seconds", "cache_dir",
                                          "threads", "kernels", "version", "dtype"};
  return keys.contains(key);
}

bool is_number(const Json& json) {
  return json.is_number() || json.is_null();
}

double number_in(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

// Appends the numbers of nested lists of equal lengths; false if it is something else.
bool append_nested_numbers(const Json& json, std::size_t depth, NamedNumbers& out) {
  if (!json.is_array()) {
    if (!is_number(json) || depth != out.shape.size()) return false;
    out.values.push_back(number_in(json));
    return true;
  }
  if (depth == out.shape.size()) {
    if (!out.values.empty()) return false;  // deeper than its neighbours
    out.shape.push_back(static_cast<Index>(json.size()));
  }
  if (out.shape[depth] != static_cast<Index>(json.size())) return false;
  return std::all_of(json.begin(), json.end(),
                     [&](const Json& entry) { return append_nested_numbers(entry, depth + 1, out); });
}

// "chefer" of {"method": "chefer", …}, if there is such a word and it is not taken.
std::string entry_name(const Json& entry, std::size_t index, std::set<std::string>& taken) {
  for (const char* key : {"method", "name"})
    if (entry.is_object() && entry.contains(key) && entry[key].is_string())
      if (const std::string name = entry[key].get<std::string>(); taken.insert(name).second) return name;
  return std::to_string(index);
}

void add_list(const Json& json, const std::string& prefix, Results& results) {
  NamedNumbers numbers{.name = prefix, .shape = {}, .values = {}};
  if (append_nested_numbers(json, 0, numbers)) {
    results.arrays.push_back(std::move(numbers));
    return;
  }
  std::set<std::string> taken;
  for (std::size_t i = 0; i < json.size(); ++i)
    add_json(json[i], fmt::format("{}[{}]", prefix, entry_name(json[i], i, taken)), results);
}

void add_object(const Json& json, const std::string& prefix, Results& results) {
  const bool check = json.contains("passed") && json.contains("bound");
  for (const auto& [key, value] : json.items()) {
    if (is_circumstance(key) || (check && (key == "value" || key == "bound"))) continue;
    add_json(value, prefix.empty() ? key : fmt::format("{}.{}", prefix, key), results);
  }
}

void add_lines(const std::string& text, const std::string& path, Results& results) {
  std::size_t number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    add_json(parse_json(line, fmt::format("{}:{}", path, number)), fmt::format("[line {}]", number), results);
  }
}

template <class T>
void append_as(std::span<const std::byte> bytes, std::vector<double>& out) {
  for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    out.push_back(static_cast<double>(value));
  }
}

std::vector<double> stored_numbers(const StoredTensor& stored, const std::string& where) {
  std::vector<double> out;
  switch (stored.type) {
    case StoredType::I64:
      append_as<std::int64_t>(stored.bytes, out);
      return out;
    case StoredType::I32:
      append_as<std::int32_t>(stored.bytes, out);
      return out;
    case StoredType::I16:
      append_as<std::int16_t>(stored.bytes, out);
      return out;
    case StoredType::I8:
      append_as<std::int8_t>(stored.bytes, out);
      return out;
    case StoredType::U64:
      append_as<std::uint64_t>(stored.bytes, out);
      return out;
    case StoredType::U32:
      append_as<std::uint32_t>(stored.bytes, out);
      return out;
    case StoredType::U16:
      append_as<std::uint16_t>(stored.bytes, out);
      return out;
    case StoredType::U8:
    case StoredType::Bool:
      append_as<std::uint8_t>(stored.bytes, out);
      return out;
    default:
      return widen(stored, DType::Float64, where).to_doubles();
  }
}

void add_safetensors(const std::string& path, Results& results) {
  const Safetensors file = Safetensors::open(path);
  for (const auto& [name, stored] : file.tensors()) {
    const auto dims = stored.shape.dims();
    results.arrays.push_back(
        {name, {dims.begin(), dims.end()}, stored_numbers(stored, fmt::format("{}: {}", path, name))});
  }
  for (const auto& [key, text] : file.metadata())
    if (text.starts_with('{') || text.starts_with('['))
      add_json(parse_json(text, fmt::format("{}: metadata {}", path, key)), key == "record" ? "" : key,
               results);
    else
      results.texts[key] = text;
}

}  // namespace

void add_json(const Json& json, const std::string& prefix, Results& results) {
  if (json.is_object()) return add_object(json, prefix, results);
  if (json.is_array()) return add_list(json, prefix, results);
  if (is_number(json)) {
    results.arrays.push_back({prefix, {}, {number_in(json)}});
    return;
  }
  results.texts[prefix] = json.is_string() ? json.get<std::string>() : json.dump();
}

Results read_results(const std::string& path) {
  Results results{.from = path, .arrays = {}, .texts = {}};
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".json")
    add_json(read_json_file(path), "", results);
  else if (ending == ".jsonl" || ending == ".ndjson")
    add_lines(read_file(path), path, results);
  else if (ending == ".npz")
    add_npz(read_file(path), path, results);
  else if (ending == ".safetensors")
    add_safetensors(path, results);
  else
    throw InputError(
        fmt::format("{}: expected a result file (.json, .jsonl, .npz, .safetensors), found the ending \"{}\"",
                    path, ending));
  return results;
}

}  // namespace headwater
