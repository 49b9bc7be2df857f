#include "comparison/comparison_writer.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/fields.h"
#include "files/schema.h"
#include "result/text_width.h"

namespace headwater {
namespace {

constexpr std::size_t most_names = 10, longest_text = 40;

std::string shortened_text(const std::string& text) {
  std::string shown = visible(text);
  if (shown.size() <= longest_text) return shown;
  std::size_t end = longest_text;
  while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xc0) == 0x80) --end;  // not within a character
  return shown.substr(0, end) + "…";
}

std::string place_text(const ArrayDifference& array) {
  return array.where.empty() ? "" : fmt::format("[{}]", fmt::join(array.where, ", "));
}

DocumentTable arrays_table(const Comparison& made, std::size_t rows) {
  DocumentTable table{.header = {"", "share", "difference", "array", "where", "first", "second"},
                      .rows = {},
                      .right = "lrrllrr"};
  for (const ArrayDifference& array : made.arrays) {
    if (array.apart == 0 || table.rows.size() == rows) break;
    table.rows.push_back({array.equal ? "✓" : "✗", fmt::format("{:.1e}", array.share),
                          fmt::format("{:.1e}", array.apart), visible(array.name), place_text(array),
                          fmt::format("{:.6g}", array.first), fmt::format("{:.6g}", array.second)});
  }
  return table;
}

void add_names(Document& document, const std::string& heading, const std::vector<std::string>& names) {
  if (names.empty()) return;
  DocumentList list{fmt::format("{}: {}", heading, names.size()), {}};
  for (std::size_t i = 0; i < std::min(most_names, names.size()); ++i)
    list.items.push_back(visible(names[i]));
  if (names.size() > most_names)
    list.items.push_back(fmt::format("… and {} more", names.size() - most_names));
  document.parts.emplace_back(std::move(list));
}

std::vector<std::string> text_lines(const Comparison& made) {
  std::vector<std::string> lines;
  for (const TextDifference& text : made.texts)
    lines.push_back(
        fmt::format("{}: {} | {}", text.name, shortened_text(text.first), shortened_text(text.second)));
  return lines;
}

std::string verdict(const Comparison& made) {
  if (are_equal(made)) return "equal within the tolerance";
  const auto beyond = std::count_if(made.arrays.begin(), made.arrays.end(),
                                    [](const ArrayDifference& array) { return !array.equal; });
  return fmt::format("different: {} of {} arrays beyond the tolerance{}", beyond, made.arrays.size(),
                     made.texts.empty() ? "" : fmt::format("; texts that differ: {}", made.texts.size()));
}

}  // namespace

void describe(auto& v, Of<ArrayDifference> auto& array) {
  v("name", array.name);
  v("equal", array.equal);
  v("share", array.share);
  v("difference", array.apart);
  v("where", array.where);
  v("first", array.first);
  v("second", array.second);
  v("numbers", array.numbers);
  v("beyond", array.beyond);
}

void describe(auto& v, Of<TextDifference> auto& text) {
  v("name", text.name);
  v("first", text.first);
  v("second", text.second);
}

void describe(auto& v, Of<Comparison> auto& made) {
  v.also("equal", [&] { return are_equal(made); });
  v("first", made.first);
  v("second", made.second);
  v("tolerance", made.options.tolerance);
  v("absolute", made.options.absolute);
  v("arrays", made.arrays);
  v("texts", made.texts);
  v("compared_texts", made.compared_texts);
  v("shapes", made.shapes);
  v("only_first", made.only_first);
  v("only_second", made.only_second);
}

Document comparison_document(const Comparison& made, std::size_t rows) {
  const std::size_t numbers =
      std::accumulate(made.arrays.begin(), made.arrays.end(), std::size_t{0},
                      [](std::size_t sum, const ArrayDifference& array) { return sum + array.numbers; });
  Document document{.title = "A comparison of two results"};
  document.parts = {
      DocumentLine{"first   " + visible(made.first)}, DocumentLine{"second  " + visible(made.second)},
      DocumentLine{fmt::format(
          "{} arrays of {} numbers and {} texts compared; allowed: {:g} of the largest number of an array{}",
          made.arrays.size(), numbers, made.compared_texts, made.options.tolerance,
          made.options.absolute > 0 ? fmt::format(", or {:g}", made.options.absolute) : "")},
      DocumentLine{}};
  if (DocumentTable table = arrays_table(made, rows); !table.rows.empty()) {
    document.parts.emplace_back(std::move(table));
    document.parts.emplace_back(DocumentLine{});
  }
  add_names(document, "texts that differ", text_lines(made));
  add_names(document, "arrays of other shapes", made.shapes);
  add_names(document, "names in the first alone", made.only_first);
  add_names(document, "names in the second alone", made.only_second);
  document.parts.emplace_back(DocumentLine{verdict(made)});
  document.json = [=] { return dump(FieldWriter::json_of_value(made), 2) + "\n"; };
  return document;
}

}  // namespace headwater
