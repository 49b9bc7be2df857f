// A picture's patches are assigned to thirds by their centres: row y of `side` belongs to third ⌊3 (y + ½) /
// side⌋, so that a picture of 2 × 2 patches has four corners and nothing between them.
#include "result/reasons.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "explain/objective.h"
#include "methods/method.h"
#include "result/rows.h"
#include "result/running_text.h"
#include "result/text_width.h"
#include "study/inputs.h"

namespace headwater {

namespace {

constexpr std::size_t most_for = 3, most_against = 2;
constexpr double worth_a_word = 0.25;  // smallest share of the strongest for a reason
constexpr double next_to_nothing = 0.01;
constexpr int longest_word = 40;  // columns

struct Part {
  std::string name;
  double weight = 0;
};

// Punctuation marks would be lost among the sentence's own.
std::string word_name(std::string text) {
  if (text_width(text) > longest_word) text = cut_to_columns(text, longest_word - 1).front() + "…";
  const bool plain = std::any_of(text.begin(), text.end(),
                                 [](unsigned char c) { return c >= 0x80 || std::isalnum(c) != 0; });
  return plain && text.find(' ') == std::string::npos ? text : fmt::format("“{}”", text);
}

struct Words {
  std::vector<Part> words, special;
};

Words weighed_words(const Report& report, const Attribution& attribution, Index layer) {
  const std::vector<double> weights = answer_weights(report, attribution, layer);
  const std::vector<Unit>& tokens = report.prediction.units;
  const bool map = has_axis(attribution, Axis::Query);
  Words found;
  const Unit* last = nullptr;
  for (std::size_t t = 0; t < std::min(tokens.size(), weights.size()); ++t) {
    const bool own = map && static_cast<Index>(t) == row_to_show(report);
    if (own || !std::isfinite(weights[t])) continue;
    if (tokens[t].special) {
      found.special.push_back({token_word(tokens[t]), weights[t]});
      continue;
    }
    if (last != nullptr && same_word(*last, tokens[t])) {
      std::string& name = found.words.back().name;
      if (name == "▁" || name == "␣") name.clear();  // a space that the tokenizer includes in the word
      name += token_word(tokens[t]);
      found.words.back().weight += weights[t];
    } else {
      found.words.push_back({token_word(tokens[t]), weights[t]});
    }
    last = &tokens[t];
  }
  for (Part& word : found.words) word.name = word_name(std::move(word.name));
  return found;
}

std::string_view part_name(std::size_t y, std::size_t x) {
  static constexpr std::array<std::string_view, 9> names{
      "in the upper left", "in the upper middle", "in the upper right",  "on the left",       "in the middle",
      "on the right",      "in the lower left",   "in the lower middle", "in the lower right"};
  return names[3 * y + x];
}

// Ninths that contain patches: the sum of all weights of one sign, as a share of all of that sign.
std::vector<Part> ninths_of(const std::vector<double>& patches, double sign) {
  const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(patches.size()))));
  std::array<double, 9> sums{};
  double all = 0;
  for (std::size_t p = 0; side > 0 && p < patches.size(); ++p) {
    const std::size_t y = std::min<std::size_t>(2, 3 * (2 * (p / side) + 1) / (2 * side)),
                      x = 3 * (2 * (p % side) + 1) / (2 * side);
    if (const double v = sign * patches[p]; std::isfinite(v) && v > 0) {
      sums[3 * y + x] += v;
      all += v;
    }
  }
  std::vector<Part> parts;
  for (std::size_t n = 0; n < sums.size(); ++n)
    if (sums[n] > 0) parts.push_back({std::string(part_name(n / 3, n % 3)), sums[n] / all});
  return parts;
}

void strongest_first(std::vector<Part>& parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return std::abs(a.weight) > std::abs(b.weight); });
}

constexpr double even = 1.5 / 9;  // below it no ninth has much more than the others

bool are_spread(const std::vector<Part>& parts) {
  return !parts.empty() &&
         std::all_of(parts.begin(), parts.end(), [](const Part& part) { return part.weight < even; });
}

std::string shares(std::vector<Part> parts, std::size_t most) {
  if (are_spread(parts)) return "spread over the whole picture";
  strongest_first(parts);
  std::vector<std::string> names;
  for (const Part& part : parts)
    if (names.size() < most && part.weight >= even)
      names.push_back(fmt::format("{:.0f} % {}", 100 * part.weight, part.name));
  return fmt::format("{}", fmt::join(names, ", "));
}

Reasons parts_of_picture(const Report& report, const Attribution& attribution, Index layer) {
  std::vector<double> patches = answer_weights(report, attribution, layer);
  const Index before = first_patch(*patches_of(report.prediction));
  patches.erase(patches.begin(), patches.begin() + std::min<std::ptrdiff_t>(
                                                       before, static_cast<std::ptrdiff_t>(patches.size())));
  const double side = prefers_contrast(report) ? -1 : 1;
  double more = 0, less = 0;
  for (const double v : patches)
    if (std::isfinite(v)) (side * v > 0 ? more : less) += std::abs(v);
  const std::vector<Part> ninths = ninths_of(patches, side);
  Reasons reasons{.most = shares(ninths, most_against),
                  .has_sign = attribution.traits.is_signed,
                  .spread = are_spread(ninths)};
  if (less >= worth_a_word * more) reasons.against = shares(ninths_of(patches, -side), 1);
  reasons.none = more + less == 0;
  return reasons;
}

// "+2.48": two digits after the point, more if the largest is small.
std::string number(double value, double largest, bool with_sign) {
  const int decimals = largest >= 0.095 || !(largest > 0)
                           ? 2
                           : std::min(12, 1 - static_cast<int>(std::floor(std::log10(largest))));
  const std::string digits = fmt::format("{:.{}f}", std::abs(value), decimals);
  return (value < 0 ? "−" : with_sign ? "+" : "") + digits;
}

// The approximate sum of a signed method's scores.
double whole_of(const Report& report, const Attribution& attribution) {
  for (const auto& [name, value] : attribution.options)
    if (name == quantity_option.name && quantity_of(value) == Quantity::Probability)
      return report.target.probability;
  return report.target.logit;
}

// The special tokens that outweigh every word, the largest first.
std::string outweighing(std::vector<Part> special, double largest, bool with_sign) {
  strongest_first(special);
  std::vector<std::string> names;
  for (const Part& token : special)
    if (std::abs(token.weight) > largest && names.size() < most_against)
      names.push_back(token.name + " " + number(token.weight, std::abs(special.front().weight), with_sign));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

bool prefers_contrast(const Report& report) {
  return report.target.contrast && report.target.logit < 0;
}

Reasons reasons_of(const Report& report, const Attribution& attribution, Index layer) {
  if (patches_of(report.prediction) != nullptr) return parts_of_picture(report, attribution, layer);
  auto [words, special] = weighed_words(report, attribution, layer);
  strongest_first(words);
  const double largest = words.empty() ? 0 : std::abs(words.front().weight);
  const bool sign = attribution.traits.is_signed;
  Reasons reasons{.has_sign = sign};
  reasons.special = outweighing(std::move(special), largest, sign);
  reasons.none = !(largest > 0);
  if (reasons.none) return reasons;
  const double side = prefers_contrast(report) ? -1 : 1;
  double all = 0;
  std::vector<std::string> more, less;
  for (const Part& word : words) {
    all += std::abs(word.weight);
    const bool counts = std::abs(word.weight) >= worth_a_word * largest;
    const std::string name = word.name + " " + number(word.weight, largest, sign);
    if (side * word.weight > 0 && more.size() < most_for && (counts || more.empty())) more.push_back(name);
    if (side * word.weight < 0 && less.size() < most_against && counts) less.push_back(name);
  }
  reasons.most = fmt::format("{}", fmt::join(more, ", "));
  reasons.against = fmt::format("{}", fmt::join(less, ", "));
  reasons.hardly = sign && all < next_to_nothing * std::abs(whole_of(report, attribution));
  return reasons;
}

}  // namespace headwater
