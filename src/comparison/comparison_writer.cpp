#include "comparison/comparison_writer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "files/schema.h"
#include "prose/table.h"
#include "result/text_width.h"

namespace headwater {
namespace {

constexpr std::size_t most_names = 10, longest_text = 40;

std::string shortened_text(const std::string& text) {
  const std::string shown = visible(text);
  if (shown.size() <= longest_text) return shown;
  std::size_t end = longest_text;
  while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xc0) == 0x80) --end;  // not within a character
  return shown.substr(0, end) + "…";
}

std::string place_text(const ArrayDifference& array) {
  return array.where.empty() ? "" : fmt::format("[{}]", fmt::join(array.where, ", "));
}

std::string arrays_table(const Comparison& made, std::size_t rows) {
  Table table{.header = {"", "share", "difference", "array", "where", "first", "second"},
              .rows = {},
              .right = "lrrllrr"};
  for (const ArrayDifference& array : made.arrays) {
    if (array.apart == 0 || table.rows.size() == rows) break;
    table.rows.push_back({array.equal ? "✓" : "✗", fmt::format("{:.1e}", array.share),
                          fmt::format("{:.1e}", array.apart), visible(array.name), place_text(array),
                          fmt::format("{:.6g}", array.first), fmt::format("{:.6g}", array.second)});
  }
  return table.rows.empty() ? "" : table.str() + "\n";
}

std::string names_text(const std::string& heading, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  std::string out = fmt::format("{}: {}\n", heading, names.size());
  for (std::size_t i = 0; i < std::min(most_names, names.size()); ++i) out += "  " + visible(names[i]) + "\n";
  if (names.size() > most_names) out += fmt::format("  … and {} more\n", names.size() - most_names);
  return out;
}

std::vector<std::string> text_lines(const Comparison& made) {
  std::vector<std::string> lines;
  for (const TextDifference& text : made.texts)
    lines.push_back(
        fmt::format("{}: {} | {}", text.name, shortened_text(text.first), shortened_text(text.second)));
  return lines;
}

std::string verdict(const Comparison& made) {
  if (are_equal(made)) return "equal within the tolerance\n";
  const auto beyond = std::count_if(made.arrays.begin(), made.arrays.end(),
                                    [](const ArrayDifference& array) { return !array.equal; });
  return fmt::format("different: {} of {} arrays beyond the tolerance{}\n", beyond, made.arrays.size(),
                     made.texts.empty() ? "" : fmt::format("; texts that differ: {}", made.texts.size()));
}

OrderedJson finite_or_null(double value) {
  return std::isfinite(value) ? OrderedJson(value) : OrderedJson(nullptr);
}

}  // namespace

std::string comparison_text(const Comparison& made, std::size_t rows) {
  const std::size_t numbers =
      std::accumulate(made.arrays.begin(), made.arrays.end(), std::size_t{0},
                      [](std::size_t sum, const ArrayDifference& array) { return sum + array.numbers; });
  std::string out = fmt::format(
      "first   {}\nsecond  {}\n{} arrays of {} numbers and {} texts compared; allowed: {:g} of the largest "
      "number of "
      "an array{}\n\n",
      visible(made.first), visible(made.second), made.arrays.size(), numbers, made.compared_texts,
      made.options.tolerance,
      made.options.absolute > 0 ? fmt::format(", or {:g}", made.options.absolute) : "");
  out += arrays_table(made, rows);
  out += names_text("texts that differ", text_lines(made));
  out += names_text("arrays of other shapes", made.shapes);
  out += names_text("names in the first alone", made.only_first);
  out += names_text("names in the second alone", made.only_second);
  return out + verdict(made);
}

std::string comparison_json(const Comparison& made) {
  OrderedJson arrays = OrderedJson::array(), texts = OrderedJson::array();
  for (const ArrayDifference& array : made.arrays)
    arrays.push_back({{"name", array.name},
                      {"equal", array.equal},
                      {"share", finite_or_null(array.share)},
                      {"difference", finite_or_null(array.apart)},
                      {"where", array.where},
                      {"first", finite_or_null(array.first)},
                      {"second", finite_or_null(array.second)},
                      {"numbers", array.numbers},
                      {"beyond", array.beyond}});
  for (const TextDifference& text : made.texts)
    texts.push_back({{"name", text.name}, {"first", text.first}, {"second", text.second}});
  return dump({{"equal", are_equal(made)},
               {"first", made.first},
               {"second", made.second},
               {"tolerance", made.options.tolerance},
               {"absolute", made.options.absolute},
               {"arrays", arrays},
               {"texts", texts},
               {"compared_texts", made.compared_texts},
               {"shapes", made.shapes},
               {"only_first", made.only_first},
               {"only_second", made.only_second}},
              2) +
         "\n";
}

}  // namespace headwater
