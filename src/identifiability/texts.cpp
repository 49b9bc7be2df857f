#include "identifiability/texts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/as_size.h"
#include "numerics/random.h"

namespace headwater {

Index ProbeText::content() const {
  return static_cast<Index>(std::count(special.begin(), special.end(), false));
}

namespace {

// The index of the first text with the same ids, for every text.
std::vector<std::size_t> first_alike(const std::vector<ProbeText>& texts) {
  std::map<std::pair<std::vector<int>, std::vector<int>>, std::size_t> seen;
  std::vector<std::size_t> first(texts.size());
  for (std::size_t t = 0; t < texts.size(); ++t)
    first[t] = seen.try_emplace({texts[t].ids, texts[t].type_ids}, t).first->second;
  return first;
}

// Part of the text at each place of the random order.
std::vector<Part> parts_by_place(std::size_t count, std::size_t folds, std::size_t fold) {
  std::vector<Part> parts(count, Part::Train);
  if (folds == 1) {
    const auto share = as_size(std::max(1.0, std::round(0.15 * static_cast<double>(count))));
    std::fill(parts.end() - static_cast<std::ptrdiff_t>(share), parts.end(), Part::Test);
    std::fill(parts.end() - static_cast<std::ptrdiff_t>(2 * share),
              parts.end() - static_cast<std::ptrdiff_t>(share), Part::Validation);
    return parts;
  }
  const auto fill = [&](std::size_t f, Part part) {
    for (std::size_t place = f * count / folds; place < (f + 1) * count / folds; ++place) parts[place] = part;
  };
  fill(fold, Part::Test);
  fill((fold + 1) % folds, Part::Validation);
  return parts;
}

}  // namespace

Split split_texts(const std::vector<ProbeText>& texts, int folds, std::uint64_t seed) {
  const std::vector<std::size_t> first = first_alike(texts);
  std::vector<std::size_t> distinct;
  for (std::size_t t = 0; t < texts.size(); ++t)
    if (first[t] == t) distinct.push_back(t);
  if (folds != 1 && folds < 3)
    throw InputError(
        fmt::format("folds: expected 1 or at least 3 (one to test, one to validate), found {}", folds));
  const auto least = as_size(std::max(3, folds));
  if (distinct.size() < least)
    throw InputError(fmt::format(
        "texts: expected at least {} different ones to split into training, validation and test, found {}",
        least, distinct.size()));
  const std::vector<std::size_t> order = random_order(seed, distinct.size());
  Split split{.parts = {}, .distinct = distinct.size()};
  for (int f = 0; f < folds; ++f) {
    const std::vector<Part> by_place = parts_by_place(distinct.size(), as_size(folds), as_size(f));
    std::vector<Part> parts(texts.size());
    for (std::size_t place = 0; place < order.size(); ++place)
      parts[distinct[order[place]]] = by_place[place];
    for (std::size_t t = 0; t < texts.size(); ++t) parts[t] = parts[first[t]];
    split.parts.push_back(std::move(parts));
  }
  return split;
}

std::vector<std::size_t> texts_in(const std::vector<Part>& parts, Part part) {
  std::vector<std::size_t> found;
  for (std::size_t t = 0; t < parts.size(); ++t)
    if (parts[t] == part) found.push_back(t);
  return found;
}

TokenRules<double> chance_of(const std::vector<const ProbeText*>& tested, TokenPool pool, int vocabulary) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  if (pool == TokenPool::Vocabulary) {
    const double one = 1.0 / vocabulary;
    return {.id = one, .position = none, .content_id = one, .content_position = none};
  }
  double tokens = 0, content = 0;
  TokenRules<double> hits;
  for (const ProbeText* text : tested) {
    std::map<int, double> all, inner;
    for (std::size_t i = 0; i < text->ids.size(); ++i) {
      all[text->ids[i]] += 1;
      if (!text->special[i]) inner[text->ids[i]] += 1;
    }
    const auto n = static_cast<double>(text->tokens()), m = static_cast<double>(text->content());
    tokens += n;
    content += m;
    if (n > 0) hits.position += 1;
    if (m > 0) hits.content_position += 1;
    for (const auto& [id, count] : all) hits.id += count * count / n;
    for (const auto& [id, count] : inner) hits.content_id += count * count / m;
  }
  return {.id = hits.id / tokens,
          .position = hits.position / tokens,
          .content_id = hits.content_id / content,
          .content_position = hits.content_position / content};
}

}  // namespace headwater
