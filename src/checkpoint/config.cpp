#include "checkpoint/config.h"

#include <charconv>
#include <limits>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/json.h"
#include "base/utf8.h"

namespace headwater {
namespace {

constexpr std::size_t max_config_bytes = std::size_t{64} << 20U;
constexpr Index max_labels = 1'000'000;

[[noreturn]] void fail(const Config& config, const std::string& key, std::string_view expected,
                       const Json& found) {
  throw FormatError(fmt::format("{}: key {}: expected {}, found {}", config.where(), printable(key), expected,
                                printed(found)));
}

// The value of a key that is present and not null, else null.
const Json* find(const Config& config, const std::string& key) {
  const auto found = config.json().find(key);
  return found == config.json().end() || found->is_null() ? nullptr : &*found;
}

template <class T, class Read>
T value_of(const Config& config, const std::string& key, std::string_view expected,
           const std::optional<T>& otherwise, Read read) {
  const Json* value = find(config, key);
  if (value == nullptr) {
    if (otherwise) return *otherwise;
    throw FormatError(
        fmt::format("{}: key {}: expected {}, found none", config.where(), printable(key), expected));
  }
  std::optional<T> result = read(*value);
  if (!result) fail(config, key, expected, *value);
  return *std::move(result);
}

template <class T, bool (Json::*Is)() const noexcept>
std::optional<T> as(const Json& value) {
  return (value.*Is)() ? std::optional(value.get<T>()) : std::nullopt;
}

std::optional<Index> as_index(const Json& value) {
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX}) return {};
  return value.is_number_integer() ? std::optional(value.get<Index>()) : std::nullopt;
}

// "0", "1", "12": no sign, no leading zero.
std::optional<std::size_t> index_of_key(const std::string& key) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
  const bool plain =
      error == std::errc{} && end == key.data() + key.size() && (key.front() != '0' || key == "0");
  return plain ? std::optional(index) : std::nullopt;
}

}  // namespace

Config Config::read(const std::string& path) {
  return parse(read_file(path, max_config_bytes), path);
}

Config Config::parse(std::string_view text, const std::string& where) {
  Json json = parse_json(text, where);
  if (!json.is_object())
    throw FormatError(fmt::format("{}: expected a JSON object, found {}", where, json.type_name()));
  Config config;
  config.where_ = where;
  config.json_ = std::make_shared<const Json>(std::move(json));
  return config;
}

bool Config::has(const std::string& key) const {
  return find(*this, key) != nullptr;
}

bool Config::mentions(const std::string& key) const {
  return json().contains(key);
}

Index Config::integer(const std::string& key, std::optional<Index> otherwise) const {
  return value_of(*this, key, "an integer", otherwise, as_index);
}

int Config::whole(const std::string& key, std::optional<Index> otherwise, int least,
                  std::string_view expected) const {
  constexpr Index most = std::numeric_limits<int>::max();
  const auto fits = [&](Index value) { return value >= least && value <= most; };
  const Index found = value_of(*this, key, expected, otherwise, [&](const Json& value) {
    const auto index = as_index(value);
    return index && fits(*index) ? index : std::nullopt;
  });
  if (!fits(found))  // what stands for a missing key may be computed from others
    throw FormatError(fmt::format("{}: key {}: expected {}, found none, which means {}", where(),
                                  printable(key), expected, found));
  return static_cast<int>(found);
}

int Config::positive(const std::string& key, std::optional<Index> otherwise) const {
  return whole(key, otherwise, 1, "an integer from 1 to 2^31 − 1");
}

int Config::id(const std::string& key, std::optional<Index> otherwise) const {
  return whole(key, otherwise, std::numeric_limits<int>::min(), "an integer of 32 bits");
}

double Config::number(const std::string& key, std::optional<double> otherwise) const {
  return value_of(*this, key, "a number", otherwise, as<double, &Json::is_number>);
}

bool Config::boolean(const std::string& key, std::optional<bool> otherwise) const {
  return value_of(*this, key, "true or false", otherwise, as<bool, &Json::is_boolean>);
}

std::string Config::text(const std::string& key, const std::optional<std::string>& otherwise) const {
  return value_of(*this, key, "a string", otherwise, as<std::string, &Json::is_string>);
}

std::vector<std::string> Config::texts(const std::string& key) const {
  std::vector<std::string> result;
  const Json* value = find(*this, key);
  if (value == nullptr) return result;
  if (!value->is_array()) fail(*this, key, "a list of strings", *value);
  for (const Json& item : *value) {
    if (!item.is_string()) fail(*this, key, "a list of strings", item);
    result.push_back(item.get<std::string>());
  }
  return result;
}

std::vector<Index> Config::integers(const std::string& key) const {
  std::vector<Index> result;
  const Json* value = find(*this, key);
  if (value == nullptr) return result;
  for (const Json& item : value->is_array() ? *value : Json::array({*value})) {
    const auto index = as_index(item);
    if (!index) fail(*this, key, "an integer or a list of them", item);
    result.push_back(*index);
  }
  return result;
}

Config Config::section(const std::string& key) const {
  const Json* value = find(*this, key);
  if (value != nullptr && !value->is_object()) fail(*this, key, "an object", *value);
  Config part;
  part.where_ = fmt::format("{}: {}", where_, key);
  part.json_ = std::make_shared<const Json>(value == nullptr ? Json::object() : *value);
  return part;
}

std::vector<std::string> Config::labels() const {
  const Json* map = find(*this, "id2label");
  std::vector<std::string> labels;
  if (map == nullptr) {
    const Index count = integer("num_labels", 2);  // two is Hugging Face's default
    if (count < 1 || count > max_labels)
      fail(*this, "num_labels", fmt::format("1 to {} labels", max_labels), json().at("num_labels"));
    for (Index i = 0; i < count; ++i) labels.push_back(fmt::format("LABEL_{}", i));
    return labels;
  }
  if (!map->is_object() || map->empty()) fail(*this, "id2label", "an object from index to label", *map);
  // Keys are distinct (as JSON strings) and canonical, so n keys below n are exactly 0 … n-1.
  labels.resize(map->size());
  for (const auto& [key, value] : map->items()) {
    const auto index = index_of_key(key);
    if (!index || *index >= labels.size())
      fail(*this, "id2label", fmt::format(R"(the keys "0" to "{}")", labels.size() - 1), Json(key));
    if (!value.is_string() && !value.is_number()) fail(*this, "id2label", "labels that are strings", value);
    labels[*index] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return labels;
}

}  // namespace headwater
