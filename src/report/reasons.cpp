// A picture's patches are assigned to thirds by their centres: row y of `side` belongs to third ⌊3 (y + ½) /
// side⌋, so that a picture of 2 × 2 patches has four corners and nothing between them.
#include "report/reasons.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "methods/method.h"
#include "report/focus.h"
#include "report/running_text.h"
#include "report/text_width.h"

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

std::vector<Part> words_of(const Report& report, const Attribution& attribution, Index layer) {
  const std::vector<double> weights = answer_weights(report, attribution, layer);
  const std::vector<Unit>& tokens = report.prediction.units;
  const bool map = has_axis(attribution, Axis::Query);
  std::vector<Part> words;
  const Unit* last = nullptr;
  for (std::size_t t = 0; t < std::min(tokens.size(), weights.size()); ++t) {
    const bool own = map && static_cast<Index>(t) == focus_row(report);
    if (tokens[t].special || own || !std::isfinite(weights[t])) continue;
    if (last != nullptr && same_word(*last, tokens[t])) {
      std::string& name = words.back().name;
      if (name == "▁" || name == "␣") name.clear();  // a space that the tokenizer includes in the word
      name += token_word(tokens[t]);
      words.back().weight += weights[t];
    } else {
      words.push_back({token_word(tokens[t]), weights[t]});
    }
    last = &tokens[t];
  }
  for (Part& word : words) word.name = word_name(std::move(word.name));
  return words;
}

std::string_view part_name(std::size_t y, std::size_t x) {
  static constexpr std::array<std::string_view, 9> names{
      "the upper left", "the upper middle", "the upper right",  "the left",       "the middle",
      "the right side", "the lower left",   "the lower middle", "the lower right"};
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

std::string shares(std::vector<Part> parts, std::size_t most) {
  constexpr double even = 1.5 / 9;  // no ninth has much more than the others
  if (parts.empty()) return {};
  strongest_first(parts);
  if (parts.front().weight < even) return "the whole picture alike";
  std::vector<std::string> names;
  for (const Part& part : parts)
    if (names.size() < most && part.weight >= even)
      names.push_back(fmt::format("{} ({:.0f} %)", part.name, 100 * part.weight));
  return fmt::format("{}", fmt::join(names, ", "));
}

Reasons parts_of_picture(const Report& report, const Attribution& attribution, Index layer) {
  std::vector<double> patches = answer_weights(report, attribution, layer);
  const Index before = first_patch(*patches_of(report.prediction));
  patches.erase(patches.begin(), patches.begin() + std::min<std::ptrdiff_t>(
                                                       before, static_cast<std::ptrdiff_t>(patches.size())));
  double more = 0, less = 0;
  for (const double v : patches)
    if (std::isfinite(v)) (v > 0 ? more : less) += std::abs(v);
  Reasons reasons{.most = shares(ninths_of(patches, 1), most_against)};
  if (less >= worth_a_word * more) reasons.against = shares(ninths_of(patches, -1), 1);
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

// For an unknown method nothing is known about the sum of its scores; they count as having no sign.
bool is_nonnegative(const Attribution& attribution) {
  const Method* method = method_named(attribution.method);
  return method == nullptr || method->claims.nonnegative;
}

// The approximate sum of a signed method's scores.
double whole_of(const Report& report, const Attribution& attribution) {
  for (const auto& [name, value] : attribution.options)
    if (name == "quantity" && value == "probability") return report.target.probability;
  return report.target.logit;
}

}  // namespace

Reasons reasons_of(const Report& report, const Attribution& attribution, Index layer) {
  if (patches_of(report.prediction) != nullptr) return parts_of_picture(report, attribution, layer);
  std::vector<Part> words = words_of(report, attribution, layer);
  strongest_first(words);
  const double largest = words.empty() ? 0 : std::abs(words.front().weight);
  if (!(largest > 0)) return {.none = true};
  const bool plain = is_nonnegative(attribution);
  double all = 0;
  std::vector<std::string> more, less;
  for (const Part& word : words) {
    all += std::abs(word.weight);
    const bool counts = std::abs(word.weight) >= worth_a_word * largest;
    const std::string name = word.name + " " + number(word.weight, largest, !plain);
    if (word.weight > 0 && more.size() < most_for && (counts || more.empty())) more.push_back(name);
    if (word.weight < 0 && less.size() < most_against && counts) less.push_back(name);
  }
  return {.most = fmt::format("{}", fmt::join(more, ", ")),
          .against = fmt::format("{}", fmt::join(less, ", ")),
          .hardly = !plain && all < next_to_nothing * std::abs(whole_of(report, attribution))};
}

}  // namespace headwater
