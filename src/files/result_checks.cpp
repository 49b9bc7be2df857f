#include "files/result_checks.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <headwater/error.h>

#include "study/terms.h"

namespace headwater {

namespace {

[[noreturn]] void expected_in_result(std::string_view where, std::string_view expected,
                                     std::string_view found) {
  throw FormatError(fmt::format("{}: expected {}, found {}", where, expected, found));
}

void require_between(std::string_view where, Index found, Index least, Index most) {
  if (found < least || found > most)
    expected_in_result(where, fmt::format("a number from {} to {}", least, most), std::to_string(found));
}

void require_tokens(const Prediction& prediction) {
  const auto count = static_cast<Index>(prediction.units.size());
  if (count == 0) expected_in_result("tokens", "at least one", "none");
  for (const Unit& unit : prediction.units)
    if (unit.begin < 0 || unit.end < unit.begin)
      expected_in_result("tokens", "begin and end in that order, from 0 on",
                         fmt::format("{} and {}", unit.begin, unit.end));
  for (const Sequence& sequence : prediction.sequences)
    if (sequence.count < 1) expected_in_result("sequences", "at least one token in each", "none");
  for (const Outcome& outcome : prediction.outcomes)
    require_between("prediction.outcomes.position", outcome.position, -1, count - 1);
}

void require_range(std::string_view where, const std::optional<TokenRange>& range, Index count) {
  if (!range) return;
  require_between(where, range->first, 0, count - 1);
  require_between(where, range->last, range->first, count - 1);
}

void require_target(const Target& target, const Prediction& prediction) {
  const auto count = static_cast<Index>(prediction.units.size());
  // Of a text that was written on, the position is counted in the sequence that is written.
  require_between("target.position", target.position, has_several_tokens(target) ? 0 : -1, count - 1);
  require_range("target.span", target.span, count);
  require_range("target.contrast_span", target.contrast_span, count);
}

// Layers, heads and then units, each once: that is how maps are read.
void require_axes(const std::string& method, const Map& map) {
  bool in_order = !map.axes.empty(), query = false, key = false;
  for (std::size_t a = 0; a < map.axes.size(); ++a) {
    const Axis::Kind kind = map.axes[a].kind;
    in_order = in_order && kind != Axis::Other && (a == 0 || map.axes[a - 1].kind < kind);
    query = query || kind == Axis::Query;
    key = key || kind == Axis::Key;
  }
  const Axis::Kind last = map.axes.empty() ? Axis::Other : map.axes.back().kind;
  if (!in_order || query != key || last == Axis::Layer || last == Axis::Head || last == Axis::Row ||
      (key && last != Axis::Key))
    expected_in_result(method + ".axes", "layers, heads and what they are of, in that order", "others");
  for (int a = 0; a < map.values.rank(); ++a)
    if (map.values.dim(a) < 1) expected_in_result(method, "numbers along every axis", "none");
}

void require_map_sizes(const std::string& method, const Map& map, const Prediction& prediction) {
  for (std::size_t a = 0; a < map.axes.size(); ++a) {
    const Axis::Kind kind = map.axes[a].kind;
    if (kind != Axis::Row && kind != Axis::Column) continue;
    const Sequence* patches = nullptr;
    for (const Sequence& sequence : prediction.sequences)
      if (sequence.rows > 0) patches = &sequence;
    if (patches == nullptr) expected_in_result(method + ".axes", "those of a text", "those of a picture");
    const Index found = map.values.dim(static_cast<int>(a)),
                count = kind == Axis::Row ? patches->rows : patches->columns;
    if (found != count)
      expected_in_result(method, fmt::format("{} along {}", count, name_of(map.axes[a])),
                         std::to_string(found));
  }
}

void require_attribution(const Attribution& result, const Prediction& prediction) {
  const std::string method = name_of(result);
  // A score per unit may stand before the maps that it was read from; those are alike.
  const bool scores_first = result.maps.size() > 1 && result.maps.front().axes.size() == 1 &&
                            result.maps.front().axes.front().kind == Axis::Units;
  const Map& first = result.maps[scores_first ? 1 : 0];
  for (const Map& map : result.maps) {
    require_axes(method, map);
    require_map_sizes(method, map, prediction);
    if (scores_first && &map == &result.maps.front()) continue;
    const auto same = [](const Axis& a, const Axis& b) { return a.kind == b.kind; };
    if (!std::equal(map.axes.begin(), map.axes.end(), first.axes.begin(), first.axes.end(), same))
      expected_in_result(method + ".maps", "the same axes in all of them", "different ones");
    if (result.maps.size() > 1 && first.axes.back().kind != Axis::Key)
      expected_in_result(method + ".maps", "queries and keys where there are several", "other axes");
  }
  if (!result.measured.empty() && result.measured.size() != prediction.units.size())
    expected_in_result(method + ".measured", fmt::format("{} entries", prediction.units.size()),
                       std::to_string(result.measured.size()));
}

// As many of each as there are of the first; a list that may be left out is empty or as long.
void require_as_long(std::string_view where, std::size_t count,
                     std::initializer_list<const std::vector<double>*> lists) {
  for (const std::vector<double>* list : lists)
    if (list->size() != count)
      expected_in_result(where, fmt::format("lists of {} numbers", count), std::to_string(list->size()));
}

void require_shares(std::string_view where, const std::vector<double>& values) {
  for (const double value : values)
    if (!(value >= 0 && value <= 1))
      expected_in_result(where, "numbers from 0 to 1", fmt::format("{}", value));
}

}  // namespace

void require_drawable(const Report& report) {
  require_tokens(report.prediction);
  require_target(report.target, report.prediction);
  if (report.attributions.empty()) expected_in_result("attributions", "at least one", "none");
  for (const Attribution& result : report.attributions) require_attribution(result, report.prediction);
}

void require_drawable(const PruningReport& report) {
  for (const PruningCurve& curve : report.curves) {
    const std::string where = "curves of " + curve.ranking;
    const std::size_t count = curve.rates.size();
    if (count == 0) expected_in_result(where, "rates", "none");
    require_as_long(where, count, {&curve.accuracy});
    if (curve.order == "random") require_as_long(where, count, {&curve.lowest, &curve.highest});
    for (const auto* values : {&curve.rates, &curve.accuracy, &curve.lowest, &curve.highest})
      require_shares(where, *values);
  }
}

void require_drawable(const EvaluateReport& report) {
  const std::size_t count = report.metrics.size() * report.methods.size();
  if (report.cells.size() != count)
    expected_in_result("cells", fmt::format("{}, one for every metric and method", count),
                       std::to_string(report.cells.size()));
  if (report.left_out > report.examples)
    expected_in_result("left_out", fmt::format("at most {} examples", report.examples),
                       std::to_string(report.left_out));
  for (const EvaluationCell& cell : report.cells)
    require_as_long(cell.metric + ".curve", cell.x.size(), {&cell.curve, &cell.lows, &cell.highs});
}

}  // namespace headwater
