#include "corpus/corpus_reader.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/json.h"
#include "base/utf8.h"

namespace headwater {

namespace fs = std::filesystem;

namespace {

constexpr const char* role_names[] = {"text", "pair", "label", "target", "contrast", "position", "image"};
const std::vector<std::string> known_names[] = {
    {"text", "sentence", "sentence1", "premise", "question", "review", "content"},
    {"pair", "text_pair", "sentence2", "hypothesis", "context"},
    {"label", "gold", "class"},
    {"target"},
    {"contrast"},
    {"position"},
    {"image", "file_name"}};

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::optional<std::size_t> column_position(const std::vector<std::string>& header, const std::string& name) {
  for (std::size_t i = 0; i < header.size(); ++i)
    if (header[i] == name) return i;
  for (std::size_t i = 0; i < header.size(); ++i)
    if (lower(header[i]) == lower(name)) return i;
  return {};
}

std::optional<int> whole_number(const std::string& text) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return {};
  return number;
}

// A column's number counted from 1, as an index.
std::optional<std::size_t> column_number(const std::string& text) {
  const std::optional<int> number = whole_number(text);
  if (!number || *number < 1) return {};
  return static_cast<std::size_t>(*number - 1);
}

std::string listed_names(const std::vector<std::string>& names) {
  constexpr std::size_t most = 12;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) shown.push_back(printable(names[i]));
  return fmt::format("{}{}", fmt::join(shown, ", "), names.size() > most ? ", …" : "");
}

std::string format_of(const CorpusOptions& options) {
  if (!options.format.empty()) return options.format;
  const std::string ending = lower(fs::path(options.file).extension().string());
  if (ending == ".tsv" || ending == ".csv" || ending == ".jsonl") return ending.substr(1);
  if (ending == ".ndjson") return "jsonl";
  return options.labelled ? "tsv" : "txt";
}

RowReader::Format row_format_of(const std::string& format) {
  if (format == "tsv") return RowReader::Format::Tsv;
  return format == "csv" ? RowReader::Format::Csv : RowReader::Format::Lines;
}

void open_file(std::ifstream& file, const std::string& path) {
  require_readable_once(path);
  file.open(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
}

}  // namespace

CorpusReader::CorpusReader(const CorpusOptions& options) : options_(options), format_(format_of(options)) {
  std::istream* stream = &file_;
  if (options.file.empty() || options.file == "-") {
    std::ios::sync_with_stdio(false);
    stream = &std::cin;
    name_ = "standard input";
  } else {
    name_ = options.file;
    open_file(file_, options.file);
  }
  rows_ = std::make_unique<RowReader>(*stream, row_format_of(format_), name_);
  if (format_ == "txt") {
    for (std::size_t role = 0; role < roles; ++role)
      if (!asked(role).empty())
        throw InputError(fmt::format(
            "--{}-column: expected a file with columns, found one text per line; say what it is with "
            "--input-format tsv, csv or jsonl",
            role_names[role]));
    sources_[Text].index = 0;
    return;
  }
  std::vector<std::string> row;
  if (!rows_->next(row)) return;
  format_ == "jsonl" ? find_keys(row.front()) : find_columns(row);
  if (!header_) first_ = std::move(row);
}

std::string CorpusReader::asked(std::size_t role) const {
  if (role == Text) return options_.text_column;
  if (role == Pair) return options_.pair_column;
  return role == Label ? options_.label_column : std::string();
}

std::vector<std::string> CorpusReader::names(std::size_t role) const {
  return asked(role).empty() ? known_names[role] : std::vector{asked(role)};
}

void CorpusReader::find_columns(const std::vector<std::string>& row) {
  bool named = false;
  for (std::size_t role = 0; role < roles; ++role) {
    // Who asks for a column by name says that there are names.
    if (!asked(role).empty() && !column_number(asked(role))) named = true;
    if (role != Text && role != Image) continue;
    for (const std::string& name : names(role))
      if (column_position(row, name)) named = true;
  }
  header_ = options_.header.empty() ? named : options_.header == "yes";
  header_ ? columns_by_name(row) : columns_by_number(row.size());
}

void CorpusReader::columns_by_name(const std::vector<std::string>& header) {
  std::vector<bool> used(header.size(), false);
  for (std::size_t role = 0; role < roles; ++role) {
    std::optional<std::size_t> index;
    for (const std::string& name : names(role))
      if (!index) index = column_position(header, name);
    if (!index && !asked(role).empty()) index = column_number(asked(role));
    if (index && *index < header.size()) {
      sources_[role] = {header[*index], index};
      used[*index] = true;
    } else if (!asked(role).empty()) {
      throw InputError(fmt::format("{}: --{}-column: expected one of the columns {}; found \"{}\"",
                                   rows_->where(), role_names[role], listed_names(header), asked(role)));
    }
  }
  if (!sources_[Text].found() && !sources_[Image].found())
    throw InputError(fmt::format("{}: expected a column of texts ({}), found {}; name it with --text-column",
                                 rows_->where(), fmt::join(known_names[Text], ", "), listed_names(header)));
  for (std::size_t i = 0; i < header.size(); ++i)
    if (!used[i]) unused_.push_back(header[i]);
}

void CorpusReader::columns_by_number(std::size_t width) {
  bool none_asked = true;
  for (std::size_t role = 0; role < roles; ++role) {
    if (asked(role).empty()) continue;
    none_asked = false;
    sources_[role].index = column_number(asked(role));
    if (!sources_[role].index || *sources_[role].index >= width)
      throw InputError(fmt::format("{}: --{}-column: expected a column from 1 to {}, found \"{}\"{}",
                                   rows_->where(), role_names[role], width, asked(role),
                                   options_.header == "no" ? "; a name needs a header" : ""));
  }
  if (none_asked && width > 1 && !options_.labelled)
    throw InputError(fmt::format(
        "{}: expected a header that names its {} columns (text, pair, label …), found none; say which they "
        "are, counted from 1: --text-column 1 --label-column 2, or --pair-column 2",
        rows_->where(), width));
  if (!sources_[Text].index) sources_[Text].index = 0;
  if (none_asked && options_.labelled && width > 1) sources_[Label].index = 1;
}

void CorpusReader::find_keys(const std::string& line) {
  std::vector<std::string> keys;
  try {
    const Json json = parse_json_unique(line, rows_->where());
    if (json.is_object())
      for (const auto& [key, value] : json.items()) keys.push_back(key);
  } catch (const FormatError&) {
    return;  // said when that line is read
  }
  for (const std::string& key : keys) {
    bool used = false;
    for (std::size_t role = 0; role < roles; ++role) {
      const std::vector<std::string> known = names(role);
      if (std::find(known.begin(), known.end(), key) == known.end()) continue;
      used = true;
      sources_[role].name =
          sources_[role].name.empty() ? key : fmt::format("{}, {}", sources_[role].name, key);
    }
    if (!used) unused_.push_back(key);
  }
}

void CorpusReader::set(Example& example, std::size_t role, const std::string& value) const {
  if (role == Text) example.input.text = value;
  if (role == Pair) example.input.pair = value;
  if (value.empty()) return;
  if (role == Label) example.gold = value;
  if (role == Target) example.targets.push_back(value);
  if (role == Contrast) example.contrast = value;
  if (role == Position) {
    example.position = whole_number(value);
    if (!example.position)
      throw InputError(
          fmt::format("{}: position: expected a whole number, found \"{}\"", where(), printable(value)));
  }
  if (role == Image) {
    const fs::path folder = file_.is_open() ? fs::path(options_.file).parent_path() : fs::path();
    example.input.image = (folder / value).string();
  }
}

Example CorpusReader::from_cells(const std::vector<std::string>& cells) const {
  Example example;
  std::size_t needed = 0;
  for (const std::size_t role : {Text, Pair, Label})
    if (sources_[role].index) needed = std::max(needed, *sources_[role].index + 1);
  if (cells.size() < needed)
    throw InputError(fmt::format("{}: expected {} columns, found {}", where(), needed, cells.size()));
  for (std::size_t role = 0; role < roles; ++role)
    if (const auto index = sources_[role].index; index && *index < cells.size())
      set(example, role, cells[*index]);
  return example;
}

Example CorpusReader::from_json(const std::string& line) const {
  const Json json = parse_json_unique(line, where());
  if (!json.is_object())
    throw InputError(fmt::format("{}: expected an object such as {{\"text\": \"…\"}}, found {}", where(),
                                 json.type_name()));
  Example example;
  bool source = false;
  for (std::size_t role = 0; role < roles; ++role) {
    const std::vector<std::string> known = names(role);
    const auto key = std::find_if(known.begin(), known.end(),
                                  [&](const std::string& name) { return json.contains(name); });
    if (key == known.end() || json[*key].is_null()) continue;
    source = source || role == Text || role == Image;
    const auto take = [&](const Json& value) {
      const bool number = value.is_number_integer() &&
                          (role == Label || role == Target || role == Contrast || role == Position);
      if (!value.is_string() && !number)
        throw InputError(
            fmt::format("{}: {}: expected a text{}, found {}", where(), *key,
                        role == Text || role == Pair || role == Image ? "" : " or a whole number",
                        value.is_array() ? "a list" : value.type_name()));
      set(example, role, number ? std::to_string(value.get<std::int64_t>()) : value.get<std::string>());
    };
    if (role == Target && json[*key].is_array())
      for (const Json& value : json[*key]) take(value);
    else
      take(json[*key]);
  }
  if (source) return example;
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  throw InputError(fmt::format("{}: expected {}, found the keys {}; name the text's with --text-column",
                               where(), fmt::join(names(Text), ", "), listed_names(keys)));
}

// The next row of the shard.
bool CorpusReader::next_row(std::vector<std::string>& row) {
  for (;;) {
    const bool wanted = shard_.holds(seen_);
    const std::size_t line = rows_->line();
    try {
      if (first_)
        row = *std::exchange(first_, std::nullopt);
      else if (!rows_->next(row))
        return false;
    } catch (const InputError&) {
      const bool passed = rows_->line() > line;  // otherwise there is no way past it
      if (passed) ++seen_;
      if (passed && !wanted) continue;
      throw;
    }
    ++seen_;
    if (wanted) return true;
  }
}

std::optional<Example> CorpusReader::next() {
  std::vector<std::string> row;
  if (!next_row(row)) return std::nullopt;
  Example example = format_ == "jsonl" ? from_json(row.front()) : from_cells(row);
  example.line = rows_->line();
  return example;
}

std::string CorpusReader::where() const {
  return rows_->where();
}

std::size_t CorpusReader::line() const {
  return rows_->line();
}

std::size_t CorpusReader::blank() const {
  return rows_->blank();
}

std::optional<std::size_t> CorpusReader::count() const {
  if (!file_.is_open() || !file_exists(options_.file)) return {};
  std::ifstream again;
  open_file(again, options_.file);
  RowReader rows(again, row_format_of(format_), name_);
  std::vector<std::string> row;
  std::size_t found = 0;
  for (std::size_t line = 0;;) {
    try {
      if (!rows.next(row)) break;
    } catch (const InputError&) {
      if (rows.line() <= line) return {};  // no way past it
    }
    line = rows.line();
    ++found;
  }
  return shard_.of(found - (header_ && found > 0 ? 1 : 0));
}

std::string CorpusReader::understood() const {
  if (format_ == "txt") return "one text per line";
  std::vector<std::string> parts;
  for (std::size_t role = 0; role < roles; ++role) {
    if (!sources_[role].found()) continue;
    parts.push_back(sources_[role].name.empty()
                        ? fmt::format("{} from column {}", role_names[role], *sources_[role].index + 1)
                        : fmt::format("{} from {}", role_names[role], printable(sources_[role].name)));
  }
  const char* header = format_ == "jsonl" ? "" : header_ ? " with a header" : " without a header";
  return fmt::format("{}{}{}{}{}", format_, header, parts.empty() ? "" : ": ", fmt::join(parts, ", "),
                     unused_.empty() ? "" : fmt::format("; not used: {}", listed_names(unused_)));
}

}  // namespace headwater
