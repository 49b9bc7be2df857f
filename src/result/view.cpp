// With g(i) the unit of token i and |g| its number of tokens,
//
//   map:    M'[a, b] = 1/|a| Σ_{g(i)=a} Σ_{g(j)=b} M[i, j]      columns are summed, rows are averaged
//   score:  s'[b] = Σ_{g(j)=b} s[j]
//
// so rows that sum to 1 still do. A cell is forbidden (NaN) when all its cells are.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "numerics/row_division.h"
#include "result/rows.h"
#include "study/inputs.h"

namespace headwater {

namespace {

using Groups = std::vector<std::vector<Index>>;  // units that are shown as one, ascending

Groups shown_groups(const std::vector<Unit>& tokens, const View& view) {
  Groups units;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const Unit& token = tokens[t];
    if (token.special && view.special != View::Special::Keep) continue;
    const Unit* last = units.empty() ? nullptr : &tokens[static_cast<std::size_t>(units.back().back())];
    if (view.unit == View::Unit::Word && last && same_word(*last, token))
      units.back().push_back(static_cast<Index>(t));
    else
      units.push_back({static_cast<Index>(t)});
  }
  return units;
}

Unit joined_unit(const std::vector<Unit>& tokens, const std::vector<Index>& unit, const std::string& text) {
  Unit view = tokens[static_cast<std::size_t>(unit.front())];
  if (unit.size() == 1) return view;
  view.id = -1;
  view.piece.clear();
  for (const Index t : unit) view.piece += tokens[static_cast<std::size_t>(t)].piece;
  view.end = tokens[static_cast<std::size_t>(unit.back())].end;
  view.text =
      text.substr(static_cast<std::size_t>(view.begin), static_cast<std::size_t>(view.end - view.begin));
  if (!view.target) return view;
  view.text.clear();  // it has no bytes in the input
  for (const Index t : unit) view.text += tokens[static_cast<std::size_t>(t)].text;
  return view;
}

enum class Merge { Sum, Mean };

// Regroups one axis. A NaN adds nothing; the result is NaN only if all are.
Tensor regrouped(const Tensor& values, int axis, const Groups& units, Merge merge) {
  Index outer = 1, inner = 1;
  std::vector<Index> dims;
  for (int a = 0; a < values.rank(); ++a) {
    dims.push_back(a == axis ? static_cast<Index>(units.size()) : values.dim(a));
    if (a < axis) outer *= values.dim(a);
    if (a > axis) inner *= values.dim(a);
  }
  Tensor result{Shape(dims), values.dtype()};
  const Index before = values.dim(axis);
  dispatch(values.dtype(), [&]<class R>(R) {
    const R* from = values.data<R>();
    R* to = result.data<R>();
    for (Index o = 0; o < outer; ++o)
      for (const std::vector<Index>& unit : units)
        for (Index i = 0; i < inner; ++i) {
          double sum = 0;
          bool any = false;
          for (const Index t : unit)
            if (const auto v = static_cast<double>(from[(o * before + t) * inner + i]); !std::isnan(v)) {
              sum += v;
              any = true;
            }
          if (merge == Merge::Mean) sum /= static_cast<double>(unit.size());
          *to++ = any ? static_cast<R>(sum) : std::numeric_limits<R>::quiet_NaN();
        }
  });
  return result;
}

// The groups of one sequence, counted from its first unit.
Groups groups_within(const Groups& units, const Report& report, int sequence) {
  const auto& all = report.prediction.sequences;
  if (all.size() < 2) return units;
  const Sequence& own = all[static_cast<std::size_t>(sequence)];
  Groups inside;
  for (const std::vector<Index>& unit : units)
    if (unit.front() >= own.first && unit.front() < own.first + own.count) {
      inside.push_back(unit);
      for (Index& t : inside.back()) t -= own.first;
    }
  return inside;
}

void regroup(Map& map, const Report& report, const Groups& units) {
  for (std::size_t a = 0; a < map.axes.size(); ++a) {
    const Axis& axis = map.axes[a];
    if (axis.kind == Axis::Units) map.values = regrouped(map.values, static_cast<int>(a), units, Merge::Sum);
    if (axis.kind == Axis::Query || axis.kind == Axis::Key)
      map.values = regrouped(map.values, static_cast<int>(a), groups_within(units, report, axis.sequence),
                             axis.kind == Axis::Query ? Merge::Mean : Merge::Sum);
  }
}

// A word was measured if one of its tokens was.
std::vector<bool> regrouped(const std::vector<bool>& measured, const Groups& units) {
  std::vector<bool> result;
  for (const std::vector<Index>& unit : units)
    result.push_back(std::any_of(unit.begin(), unit.end(),
                                 [&](Index t) { return measured[static_cast<std::size_t>(t)]; }));
  if (std::find(result.begin(), result.end(), false) == result.end()) result.clear();
  return result;
}

bool counts_pairs(const Axes& axes) {
  return std::any_of(axes.begin(), axes.end(),
                     [](const Axis& a) { return a.kind == Axis::Key || a.kind == Axis::Units; });
}

int group_with(const Groups& units, int token) {
  for (std::size_t u = 0; u < units.size(); ++u)
    if (std::find(units[u].begin(), units[u].end(), token) != units[u].end()) return static_cast<int>(u);
  return -1;
}

void regroup(Attribution& result, const Report& report, const Groups& units) {
  const View& view = report.asked.view;
  for (Map& map : result.maps) regroup(map, report, units);
  if (!result.answer.empty()) result.answer = regrouped(result.answer, 1, units, Merge::Sum);
  if (!result.measured.empty()) result.measured = regrouped(result.measured, units);
  if (has_axis(result, Axis::Key) && view.special == View::Special::Drop && result.traits.rows_sum_to_one) {
    if (result.maps.size() == 1) {
      divide_rows(result.scores());
      divide_rows(result.answer);
    }
    result.notes.emplace_back(result.maps.size() == 1
                                  ? "Special tokens were dropped and the rows divided by what is left."
                                  : "Special tokens were dropped; rows of several maps are not divided.");
  }
  if (view.unit == View::Unit::Word)
    result.notes.emplace_back("Words: columns of a word's tokens are summed, its rows averaged.");
  std::vector<Map> kept;
  for (Map& detail : result.details) {
    if (counts_pairs(detail.axes)) {
      result.notes.push_back(fmt::format("{} is per token and not shown in this view.", detail.name));
      continue;
    }
    regroup(detail, report, units);
    kept.push_back(std::move(detail));
  }
  result.details = std::move(kept);
}

// The position of a row in the view; −1: it is not shown.
Read read_in_view(const Report& report, const Groups& units, const Read& read) {
  const auto& all = report.prediction.sequences;
  const Index first = all.empty() ? 0 : all[static_cast<std::size_t>(read.sequence)].first;
  const int at = group_with(units, static_cast<int>(first + read.row));
  const auto before =
      std::count_if(units.begin(), units.end(), [first](const auto& u) { return u.front() < first; });
  return {read.sequence, at < 0 ? at : at - before};
}

// The position in the view of a position in the sequence that is written.
int position_in(const Report& report, const Groups& units, int position) {
  if (position < 0) return position;
  const int written = std::max(0, static_cast<int>(report.prediction.sequences.size()) - 1);
  return static_cast<int>(read_in_view(report, units, {written, position}).row);
}

std::string source_of(const Report& report, const Unit& unit) {
  if (unit.sequence > 0) return report.prefix;
  return unit.segment > 0 ? report.pair : report.text;
}

}  // namespace

Report viewed(const Report& report) {
  const View& view = report.asked.view;
  const std::vector<Unit>& units = report.prediction.units;
  const bool as_it_is = view.unit == View::Unit::Token && view.special == View::Special::Keep;
  if (as_it_is || units.empty() || patches_of(report.prediction) != nullptr) return report;
  const Groups groups = shown_groups(units, view);
  if (groups.empty()) throw InputError("view: expected a word to show, found special tokens only");
  Report shown = report;
  for (Attribution& result : shown.attributions) regroup(result, report, groups);
  for (Outcome& outcome : shown.prediction.outcomes)
    outcome.position = position_in(report, groups, outcome.position);
  shown.target.position = position_in(report, groups, report.target.position);
  shown.read.clear();
  for (const Read& read : report.read)
    if (const Read at = read_in_view(report, groups, read);
        at.row >= 0 && std::find(shown.read.begin(), shown.read.end(), at) == shown.read.end())
      shown.read.push_back(at);
  shown.prediction.units.clear();
  for (const auto& group : groups)
    shown.prediction.units.push_back(
        joined_unit(units, group, source_of(report, units[static_cast<std::size_t>(group.front())])));
  for (std::size_t s = 0; s < shown.prediction.sequences.size(); ++s) {
    Sequence& sequence = shown.prediction.sequences[s];
    sequence.first =
        s == 0 ? 0 : shown.prediction.sequences[s - 1].first + shown.prediction.sequences[s - 1].count;
    sequence.count = static_cast<Index>(groups_within(groups, report, static_cast<int>(s)).size());
  }
  return shown;
}

}  // namespace headwater
