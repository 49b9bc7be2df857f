#include "prose/side_by_side.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "prose/terminal_scores.h"
#include "result/rows.h"
#include "result/running_text.h"
#include "result/text_width.h"

namespace headwater {

namespace {

constexpr std::size_t most_methods = 3, most_words = 6;
constexpr int number_columns = 9, name_columns = 12;

struct SideColumn {
  std::string title;
  std::vector<double> weights;
  double scale = 0;

  double share(std::size_t t) const {
    return std::isfinite(weights[t]) && scale > 0 ? weights[t] / scale : 0;
  }
};

std::vector<SideColumn> side_columns(const Report& report) {
  std::vector<SideColumn> columns;
  for (const Attribution& result : report.attributions) {
    if (result.scores().empty()) continue;
    SideColumn column{name_of(result), answer_weights(report, result, shown_layer(report, result))};
    if (column.weights.size() != report.prediction.units.size()) return {};
    column.scale = word_scale(report, column.weights);
    columns.push_back(std::move(column));
  }
  return columns;
}

// In the order of the text.
std::vector<std::size_t> strongest_words(const Report& report, const std::vector<SideColumn>& columns) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t t = 0; t < report.prediction.units.size(); ++t) {
    double most = 0;
    for (const SideColumn& column : columns) most = std::max(most, std::abs(column.share(t)));
    if (most > 0 && !report.prediction.units[t].special) order.emplace_back(-most, t);
  }
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), most_words));
  std::vector<std::size_t> words;
  for (const auto& [share, t] : order) words.push_back(t);
  std::sort(words.begin(), words.end());
  return words;
}

std::string without_end(const std::string& line) {
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

std::string results_side_by_side(const Report& report, const TerminalFormat& format) {
  const std::vector<SideColumn> columns = side_columns(report);
  if (patches_of(report.prediction) != nullptr || columns.size() < 2 || columns.size() > most_methods)
    return {};
  const int each = (format.width - name_columns - 2) / static_cast<int>(columns.size());
  const int room = std::min(each - number_columns - 4, 20);
  if (room < 4) return {};
  std::string head = "  " + fitted("", name_columns);
  for (const SideColumn& column : columns) head += fitted(column.title, each - 1) + " ";
  std::string out = without_end(head);
  for (const std::size_t t : strongest_words(report, columns)) {
    std::string line = "  " + fitted(token_word(report.prediction.units[t]), name_columns);
    for (const SideColumn& column : columns) {
      const bool known = std::isfinite(column.weights[t]);
      const std::string number = known ? fmt::format("{:+.4g}", column.weights[t]) : "–";
      line +=
          fitted(fitted(number, number_columns) + " " + (known ? bar(column.share(t), room) : ""), each - 1) +
          " ";
    }
    out += without_end(line);
  }
  return out;
}

}  // namespace headwater
