#include "cli_support/labelled_reader.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/json.h"
#include "cli_support/arguments.h"
#include "cli_support/options.h"

namespace headwater {

namespace {

constexpr const char* text_names[] = {"text", "sentence", "sentence1", "premise", "question"};
constexpr const char* pair_names[] = {"pair", "text_pair", "sentence2", "hypothesis", "context"};

template <class Find>
auto first_of(const auto& names, const Find& find) -> decltype(find("")) {
  for (const char* name : names)
    if (auto found = find(name)) return found;
  return {};
}

LabelledInput from_json(const std::string& line, const std::string& where) {
  const Json json = parse_json(line, where);
  const auto text = [&](const char* name) -> std::optional<std::string> {
    if (!json.is_object() || !json.contains(name)) return {};
    const Json& value = json[name];
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
    return {};
  };
  const auto words = first_of(text_names, text), label = text("label");
  if (!words || !label)
    throw InputError(
        fmt::format("{}: expected an object with \"text\" (or \"sentence\") and \"label\"", where));
  return {.input = {.text = *words, .pair = first_of(pair_names, text)}, .label = *label};
}

struct Columns {
  std::size_t text = 0, label = 1;
  std::optional<std::size_t> pair;
};

std::optional<Columns> columns_of(const std::vector<std::string>& header) {
  const auto find = [&](const char* name) -> std::optional<std::size_t> {
    const auto at = std::find(header.begin(), header.end(), name);
    if (at == header.end()) return {};
    return static_cast<std::size_t>(at - header.begin());
  };
  const auto text = first_of(text_names, find), label = find("label");
  if (!text || !label) return {};
  return Columns{*text, *label, first_of(pair_names, find)};
}

}  // namespace

std::vector<LabelledInput> read_labelled(const std::string& path, std::size_t limit) {
  std::ifstream file(path);
  if (!file) throw InputError(fmt::format("{}: expected a labelled file, found none that can be read", path));
  const bool json = path.ends_with(".jsonl") || path.ends_with(".ndjson");
  std::vector<LabelledInput> inputs;
  Columns columns;
  std::string line;
  for (std::size_t number = 1; (limit == 0 || inputs.size() < limit) && std::getline(file, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    const std::string where = fmt::format("{}:{}", path, number);
    if (json) {
      inputs.push_back(from_json(line, where));
      continue;
    }
    const std::vector<std::string> cells = split(line, '\t');
    if (number == 1)
      if (const auto named = columns_of(cells)) {
        columns = *named;
        continue;
      }
    if (cells.size() <= std::max({columns.text, columns.label, columns.pair.value_or(0)}))
      throw InputError(fmt::format("{}: expected a text and a label separated by a tab, found {} column{}",
                                   where, cells.size(), cells.size() == 1 ? "" : "s"));
    LabelledInput one{.input = {.text = cells[columns.text]}, .label = cells[columns.label]};
    if (columns.pair) one.input.pair = cells[*columns.pair];
    inputs.push_back(std::move(one));
  }
  if (inputs.empty()) throw InputError(fmt::format("{}: expected labelled inputs, found none", path));
  return inputs;
}

std::vector<LabelledInput> LabelledOptions::read() const {
  return read_labelled(file, limit);
}

void add_labelled_options(Arguments& arguments, LabelledOptions& options, const std::string& limit_help) {
  arguments.add("-f,--file", options.file, "Labelled inputs: TSV (text, label) or JSON Lines")
      .value("FILE")
      .required()
      .group("Input");
  arguments.add("--limit", options.limit, fmt::format("{}; 0: all (default {})", limit_help, options.limit))
      .value("N")
      .group("Input");
}

void add_rankings_option(Arguments& arguments, std::string& rankings) {
  arguments.add("--by", rankings, fmt::format("Rankings: {}", fmt::join(head_rankings(), ", ")))
      .value("RANKINGS")
      .group("Methods");
}

}  // namespace headwater
