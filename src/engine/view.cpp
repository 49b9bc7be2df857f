// With g(i) the unit of token i and |g| its number of tokens,
//
//   map:    M'[a, b] = 1/|a| Σ_{g(i)=a} Σ_{g(j)=b} M[i, j]      what a word reads sums, what writes it
//   averages score:  s'[b] = Σ_{g(j)=b} s[j]
//
// so rows that sum to 1 still do. A cell is forbidden (NaN) when all its cells are.
#include "engine/view.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <headwater/error.h>

#include "numerics/row_division.h"

namespace headwater {

namespace {

using Units = std::vector<std::vector<Index>>;  // tokens of each unit, ascending

Units units_of(const std::vector<TokenView>& tokens, const View& view) {
  Units units;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const TokenView& token = tokens[t];
    if (token.special && view.special != View::Special::Keep) continue;
    const TokenView* last = units.empty() ? nullptr : &tokens[static_cast<std::size_t>(units.back().back())];
    const bool joins = view.unit == View::Unit::Word && last && !token.special && !last->special &&
                       token.word >= 0 && token.word == last->word && token.sequence == last->sequence &&
                       token.target == last->target;
    if (joins)
      units.back().push_back(static_cast<Index>(t));
    else
      units.push_back({static_cast<Index>(t)});
  }
  return units;
}

TokenView joined(const std::vector<TokenView>& tokens, const std::vector<Index>& unit,
                 const std::string& text) {
  TokenView view = tokens[static_cast<std::size_t>(unit.front())];
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

// Regroups one axis. NaN counts as nothing; NaN only if all are.
Tensor regrouped(const Tensor& values, int axis, const Units& units, Merge merge) {
  Index outer = 1, inner = 1;
  std::vector<Index> dims;
  for (int a = 0; a < values.rank(); ++a) {
    dims.push_back(a == axis ? static_cast<Index>(units.size()) : values.dim(a));
    if (a < axis) outer *= values.dim(a);
    if (a > axis) inner *= values.dim(a);
  }
  Tensor result{Shape(dims), values.dtype()};
  const Index before = values.dim(axis);
  dispatch(values.dtype(), [&](auto r) {
    using R = decltype(r);
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

void regroup(Tensor& values, const std::vector<std::string>& axes, const Units& units) {
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (axes[a] == "query") values = regrouped(values, static_cast<int>(a), units, Merge::Mean);
    if (axes[a] == "key" || axes[a] == "token")
      values = regrouped(values, static_cast<int>(a), units, Merge::Sum);
  }
}

// A word was measured if one of its tokens was.
std::vector<bool> regrouped(const std::vector<bool>& measured, const Units& units) {
  std::vector<bool> result;
  for (const std::vector<Index>& unit : units)
    result.push_back(std::any_of(unit.begin(), unit.end(),
                                 [&](Index t) { return measured[static_cast<std::size_t>(t)]; }));
  if (std::find(result.begin(), result.end(), false) == result.end()) result.clear();
  return result;
}

bool counts_pairs(const std::vector<std::string>& axes) {
  return std::any_of(axes.begin(), axes.end(),
                     [](const std::string& a) { return a == "key" || a == "token"; });
}

bool rows_summed_to_one(const Attribution& result) {
  return std::any_of(result.checks.begin(), result.checks.end(),
                     [](const Check& check) { return check.name == "rows sum to 1"; });
}

int unit_of(const Units& units, int token) {
  for (std::size_t u = 0; u < units.size(); ++u)
    if (std::find(units[u].begin(), units[u].end(), token) != units[u].end()) return static_cast<int>(u);
  return -1;
}

void regroup(Attribution& result, const Units& units, const View& view) {
  regroup(result.scores, result.axes, units);
  const bool map = !result.axes.empty() && result.axes.back() == "key";
  if (!result.answer.empty()) regroup(result.answer, {"layer", "key"}, units);
  if (!result.measured.empty()) result.measured = regrouped(result.measured, units);
  if (map && view.special == View::Special::Drop && rows_summed_to_one(result)) {
    divide_rows(result.scores);
    divide_rows(result.answer);
    result.notes.emplace_back("Special tokens were dropped and the rows divided by what is left.");
  }
  if (view.unit == View::Unit::Word)
    result.notes.emplace_back("Words: columns of a word's tokens are summed, its rows averaged.");
  std::vector<Detail> kept;
  for (Detail& detail : result.details) {
    if (counts_pairs(detail.axes)) {
      result.notes.push_back(fmt::format("{} is per token and not shown in this view.", detail.name));
      continue;
    }
    regroup(detail.values, detail.axes, units);
    kept.push_back(std::move(detail));
  }
  result.details = std::move(kept);
}

}  // namespace

void apply_view(Report& report, const View& view) {
  std::vector<TokenView>& tokens = report.prediction.tokens;
  const bool as_it_is = view.unit == View::Unit::Token && view.special == View::Special::Keep;
  if (as_it_is || tokens.empty()) return;
  const Units units = units_of(tokens, view);
  if (units.empty()) throw InputError("view: expected a word to show, found special tokens only");
  for (Attribution& result : report.attributions) regroup(result, units, view);
  for (Outcome& outcome : report.prediction.outcomes)
    if (outcome.position >= 0) outcome.position = unit_of(units, outcome.position);
  if (report.target.position >= 0) report.target.position = unit_of(units, report.target.position);
  std::vector<TokenView> views;
  for (const auto& unit : units) {
    const bool second = tokens[static_cast<std::size_t>(unit.front())].sequence > 0;
    views.push_back(joined(tokens, unit, second ? report.pair : report.text));
  }
  tokens = std::move(views);
}

}  // namespace headwater
