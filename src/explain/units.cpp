#include "explain/units.h"

#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

namespace headwater {

namespace {

bool is_read(const Target& target, int token) {
  const Terms terms = terms_of(target);
  const auto there = [token](const Term& term) { return term.position == token; };
  return std::any_of(terms.wanted.begin(), terms.wanted.end(), there) ||
         std::any_of(terms.contrast.begin(), terms.contrast.end(), there);
}

}  // namespace

Units removable_units(const Study& study, const UnitOptions& options) {
  if (options.words && study.sequences().front().rows > 0)
    throw InputError("unit: expected token for an image model, whose units are patches, found word");
  const std::vector<Unit>& all = study.units();
  Units units{.tokens = {}, .words = options.words};
  for (int t = 0; t < study.size(); ++t) {
    const Unit& unit = all[as_size(t)];
    if (unit.special && !options.with_special) continue;
    if (options.keep_target && is_read(study.target(), t - static_cast<int>(study.first_written()))) continue;
    if (options.words && !units.tokens.empty() && units.tokens.back().back() == t - 1 &&
        same_word(all[as_size(t) - 1], unit))
      units.tokens.back().push_back(t);
    else
      units.tokens.push_back({t});
  }
  return units;
}

Tensor per_token(const Units& units, const std::vector<double>& numbers, Index tokens, DType dtype) {
  std::vector<double> scores(as_size(tokens), 0.0);
  for (std::size_t u = 0; u < units.size(); ++u)
    for (const int t : units.tokens[u])
      scores[as_size(t)] = numbers[u] / static_cast<double>(units.tokens[u].size());
  return Tensor::of({tokens}, scores, dtype);
}

void describe_units(const Units& units, const std::vector<double>& numbers, Attribution& result) {
  const Index T = result.scores().dim(0);
  Index covered = 0;
  for (const auto& unit : units.tokens) covered += static_cast<Index>(unit.size());
  if (covered < T) {
    result.measured.assign(as_size(T), false);
    for (const auto& unit : units.tokens)
      for (const int t : unit) result.measured[as_size(t)] = true;
    result.notes.push_back(
        fmt::format("{} of {} tokens (special ones, and one that must stay) are never removed; their score "
                    "is 0 because it was not measured.",
                    T - covered, T));
  }
  if (!units.words) return;
  std::vector<double> unit_of_token(as_size(T), -1);
  for (std::size_t u = 0; u < units.size(); ++u)
    for (const int t : units.tokens[u]) unit_of_token[as_size(t)] = static_cast<double>(u);
  result.details.push_back(
      {"word_score", {Axis("word")}, Tensor::of({static_cast<Index>(units.size())}, numbers)});
  result.details.push_back({"word_of_token", {Axis::Units}, Tensor::of({T}, unit_of_token)});
  result.notes.emplace_back("A word's score is shared equally by its tokens; their sum is the word's.");
}

}  // namespace headwater
