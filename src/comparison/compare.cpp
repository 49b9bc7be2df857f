#include "comparison/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/error.h>

namespace headwater {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

double apart_at(double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  if (a == b) return 0;  // infinities too
  const double difference = std::abs(a - b);
  if (std::isnan(difference)) return never;
  return difference;
}

std::vector<Index> indices_at(std::size_t flat, const std::vector<Index>& shape) {
  std::vector<Index> place(shape.size(), 0);
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    place[axis] = static_cast<Index>(flat) % shape[axis];
    flat /= static_cast<std::size_t>(shape[axis]);
  }
  return place;
}

ArrayDifference difference_of(const NamedNumbers& a, const NamedNumbers& b, const CompareOptions& options) {
  ArrayDifference found{.name = a.name, .where = {}, .numbers = a.values.size()};
  double largest = 0;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    for (const double v : {a.values[i], b.values[i]})
      if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
    if (const double apart = apart_at(a.values[i], b.values[i]); apart > found.apart) {
      found.apart = apart;
      worst = i;
    }
  }
  const double allowed = std::max(options.tolerance * largest, options.absolute);
  for (std::size_t i = 0; i < a.values.size(); ++i)
    if (apart_at(a.values[i], b.values[i]) > allowed) ++found.beyond;
  if (found.apart > 0) {
    found.share = found.apart / largest;
    found.where = indices_at(worst, a.shape);
    found.first = a.values[worst];
    found.second = b.values[worst];
  }
  found.equal = found.beyond == 0;
  return found;
}

std::map<std::string, const NamedNumbers*> by_name(const Results& results) {
  std::map<std::string, const NamedNumbers*> found;
  for (const NamedNumbers& array : results.arrays) found[array.name] = &array;
  return found;
}

void compare_texts(const Results& a, const Results& b, Comparison& made) {
  for (const auto& [name, text] : a.texts) {
    const auto other = b.texts.find(name);
    if (other == b.texts.end()) {
      made.only_first.push_back(name);
      continue;
    }
    ++made.compared_texts;
    if (other->second != text) made.texts.push_back({name, text, other->second});
  }
  for (const auto& [name, text] : b.texts)
    if (!a.texts.contains(name)) made.only_second.push_back(name);
}

}  // namespace

Comparison compare(const Results& a, const Results& b, const CompareOptions& options) {
  for (const double bound : {options.tolerance, options.absolute})
    if (!(bound >= 0) || std::isinf(bound))
      throw InputError(fmt::format("--tolerance: expected a number of at least 0, found {}", bound));
  Comparison made{.first = a.from, .second = b.from, .options = options};
  const auto first = by_name(a), second = by_name(b);
  for (const auto& [name, array] : first) {
    const auto other = second.find(name);
    if (other == second.end())
      made.only_first.push_back(name);
    else if (other->second->shape != array->shape)
      made.shapes.push_back(fmt::format("{}: [{}] and [{}]", name, fmt::join(array->shape, ", "),
                                        fmt::join(other->second->shape, ", ")));
    else
      made.arrays.push_back(difference_of(*array, *other->second, options));
  }
  for (const auto& [name, array] : second)
    if (!first.contains(name)) made.only_second.push_back(name);
  compare_texts(a, b, made);
  if (made.arrays.empty() && made.compared_texts == 0 && made.shapes.empty())
    throw InputError(
        fmt::format("{} and {}: expected something of one name in both, found nothing; compare files of "
                    "one command and format",
                    a.from, b.from));
  std::stable_sort(made.arrays.begin(), made.arrays.end(),
                   [](const ArrayDifference& x, const ArrayDifference& y) {
                     return x.equal != y.equal ? y.equal : x.share > y.share;
                   });
  return made;
}

bool are_equal(const Comparison& made) {
  return made.texts.empty() && made.only_first.empty() && made.only_second.empty() && made.shapes.empty() &&
         std::all_of(made.arrays.begin(), made.arrays.end(),
                     [](const ArrayDifference& a) { return a.equal; });
}

}  // namespace headwater
