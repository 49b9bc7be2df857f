#include "corpus/run_record.h"

#include <charconv>
#include <filesystem>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/files.h"

namespace headwater {

namespace fs = std::filesystem;

namespace {

constexpr const char* results_key = "results";  // the hash of the file beside the record

// A whole number that fills the text; 0: it is none.
std::size_t count_in(std::string_view text) {
  std::size_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && rest == text.data() + text.size() ? number : 0;
}

void find_differences(const OrderedJson& mine, const OrderedJson& other, const std::string& above,
                      std::vector<std::string>& found) {
  OrderedJson all = mine;
  all.update(other);
  for (const auto& [key, ignored] : all.items()) {
    const OrderedJson left = mine.value(key, OrderedJson()), right = other.value(key, OrderedJson());
    if (left == right) continue;
    const std::string name = above.empty() ? key : fmt::format("{} {}", above, key);
    if (left.is_object() && right.is_object())
      find_differences(left, right, name, found);
    else
      found.push_back(name);
  }
}

}  // namespace

Shard parse_shard(const std::string& text, const std::string& where) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::size_t which = count_in(std::string_view(text).substr(0, slash));
  const std::size_t count = slash == text.size() ? 0 : count_in(std::string_view(text).substr(slash + 1));
  if (which == 0 || which > count)
    throw InputError(
        fmt::format("{}: expected I/N with I from 1 to N, such as 2/4 for the second of four, found \"{}\"",
                    where, text));
  return {.index = which - 1, .count = count};
}

std::optional<Shard> shard_of(const OrderedJson& run) {
  const OrderedJson given = run.value("options", OrderedJson::object()).value("--shard", OrderedJson());
  if (!given.is_array() || given.size() != 1 || !given.front().is_string()) return {};
  return parse_shard(given.front().get<std::string>(), "--shard");
}

std::string record_path(const std::string& file) {
  std::error_code none;
  return (fs::is_symlink(file, none) ? fs::weakly_canonical(file).string() : file) + ".run";
}

void write_record(const std::string& file, OrderedJson run) {
  run[results_key] = sha256_hex(MappedFile::open(file)->bytes());
  write_file(record_path(file), run.dump(2) + "\n");
}

OrderedJson parse_record(const std::string& path) {
  OrderedJson record = OrderedJson::parse(read_file(path, std::size_t{16} << 20), nullptr, false);
  if (!record.is_object() || !record.value("options", OrderedJson()).is_object())
    throw FormatError(fmt::format(
        "{}: expected the record of a run, found something else; remove it and repeat that run", path));
  return record;
}

std::optional<OrderedJson> read_record(const std::string& file) {
  if (!file_exists(file) || !file_exists(record_path(file))) return {};
  OrderedJson record = parse_record(record_path(file));
  const OrderedJson found = sha256_hex(MappedFile::open(file)->bytes());
  if (record.value(results_key, OrderedJson()) != found) return {};
  record.erase(results_key);
  return record;
}

std::vector<std::string> differences(const OrderedJson& mine, const OrderedJson& other) {
  std::vector<std::string> found;
  find_differences(mine, other, "", found);
  return found;
}

}  // namespace headwater
