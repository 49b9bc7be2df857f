#include "methods/method.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/error.h>

#include "base/nearest.h"

namespace headwater {

namespace {

std::vector<std::string_view> allowed_values(std::string_view type) {
  std::vector<std::string_view> choices;
  for (std::size_t begin = 0; begin <= type.size();) {
    const std::size_t end = std::min(type.find('|', begin), type.size());
    choices.push_back(type.substr(begin, end - begin));
    begin = end + 1;
  }
  return choices;
}

template <class T>
bool parses(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

bool is_within(const MethodOption& option, double value) {
  return value >= option.least && value <= option.most;
}

std::string range_of(const MethodOption& option) {
  const bool low = std::isfinite(option.least), high = std::isfinite(option.most);
  if (low && high) return fmt::format(" from {} to {}", option.least, option.most);
  return low    ? fmt::format(", at least {}", option.least)
         : high ? fmt::format(", at most {}", option.most)
                : "";
}

void check_value(std::string_view method, const MethodOption& option, const std::string& value) {
  double number = 0;
  int integer = 0;
  bool good = false;
  std::string expected;
  if (option.type == "number") {
    good = parses(value, number) && std::isfinite(number) && is_within(option, number);
    expected = "a number" + range_of(option);
  } else if (option.type == "integer") {
    good = parses(value, integer) && is_within(option, integer);
    expected = "an integer" + range_of(option);
  } else if (option.type == "text") {
    good = true;  // the method reads it and says what it expected
  } else {
    const auto choices = allowed_values(option.type);
    good = std::find(choices.begin(), choices.end(), value) != choices.end();
    expected = fmt::format("one of {}", fmt::join(choices, ", "));
  }
  if (!good)
    throw InputError(
        fmt::format("{}: option {}: expected {}, found '{}'", method, option.name, expected, value));
}

}  // namespace

std::string_view text_of(Question question) {
  static constexpr std::string_view texts[] = {
      "which inputs does the answer depend on?", "which token reads which?",
      "how far are attention and tokens identifiable?", "which heads matter, and what do they pass on?"};
  return texts[as_size(question)];
}

std::string_view text_of(Role role) {
  static constexpr std::string_view texts[] = {
      "", "answer", "quick answer", "mixing", "mixing alone", "first look", "heads", "removal", "picture"};
  return texts[as_size(role)];
}

std::vector<const Method*> methods_asked(Question question) {
  std::vector<const Method*> asked;
  for (const Method* method : all_methods())
    if (method->question == question) asked.push_back(method);
  return asked;
}

const Method& method_for(Role role) {
  for (const Method* method : all_methods())
    if (method->role == role) return *method;
  throw InternalError(fmt::format("methods: expected one with the role '{}', found none", text_of(role)));
}

std::string title_of(const Method& method) {
  if (!method.title.empty()) return std::string(method.title);
  std::string title(method.name);
  std::replace(title.begin(), title.end(), '_', ' ');
  if (title.front() >= 'a' && title.front() <= 'z')
    title.front() = static_cast<char>(title.front() - 'a' + 'A');
  return title;
}

MethodOptions::MethodOptions(std::string_view method, std::span<const MethodOption> known,
                             const std::map<std::string, std::string>& given)
    : method_(method) {
  for (const auto& entry : given) {
    const std::string& name = entry.first;
    if (std::any_of(known.begin(), known.end(), [&](const MethodOption& o) { return o.name == name; }))
      continue;
    std::vector<std::string_view> names;
    for (const MethodOption& option : known) names.push_back(option.name);
    if (names.empty()) throw InputError(fmt::format("{}: expected no options, found '{}'", method, name));
    throw InputError(
        fmt::format("{}: expected options among {}, found '{}'", method, fmt::join(names, ", "), name));
  }
  for (const MethodOption& option : known) {
    const auto found = given.find(std::string(option.name));
    const std::string value = found == given.end() ? std::string(option.otherwise) : found->second;
    check_value(method, option, value);
    values_.emplace_back(option.name, value);
  }
}

const std::string& MethodOptions::text(std::string_view name) const {
  for (const auto& [key, value] : values_)
    if (key == name) return value;
  throw InternalError(fmt::format("method options: expected a declared option, found '{}'", name));
}

double MethodOptions::number(std::string_view name) const {
  double value = 0;
  parses(text(name), value);
  return value;
}

int MethodOptions::integer(std::string_view name) const {
  int value = 0;
  parses(text(name), value);
  return value;
}

double MethodOptions::share(std::string_view name, std::string_view letter) const {
  const double value = number(name);
  if (!(value >= 0 && value < 1)) refuse(name, fmt::format("0 <= {} < 1", letter));
  return value;
}

int MethodOptions::start_layer(const ModelInfo& info) const {
  const int start = integer("start_layer");
  if (start < 0 || start >= info.last().layers)
    refuse("start_layer", fmt::format("0 … {}", info.last().layers - 1));
  return start;
}

std::vector<std::pair<std::string, std::string>> MethodOptions::all() const {
  return values_;
}

void MethodOptions::refuse(std::string_view name, std::string_view expected) const {
  double value = 0;
  const std::string found = parses(text(name), value) ? fmt::format("{}", value) : text(name);
  throw InputError(fmt::format("{}: option {}: expected {}, found {}", method_, name, expected, found));
}

Attribution Method::run(const Study& study, const MethodOptions& chosen) const {
  return named(compute(study, chosen), chosen);
}

Traits Method::traits_of(const Attribution& result) const {
  const auto has = [&](Axis::Kind kind) {
    return std::any_of(result.axes().begin(), result.axes().end(),
                       [kind](const Axis& axis) { return axis.kind == kind; });
  };
  const bool own = has(Axis::Query) && result.aggregate.empty(), each_head = has(Axis::Head);
  return {.of_target = needs_target,
          .by_layer = own && (each_head || mixing != Mixing::None),
          .attention_alone = own && (mixing == Mixing::Partial || (each_head && !needs_target)),
          .is_signed = !claims.nonnegative,
          .rows_sum_to_one = own && claims.rows_sum_to_one};
}

Attribution Method::named(Attribution result, const MethodOptions& chosen) const {
  result.method = name;
  const bool summed = result.traits.rows_sum_to_one;
  result.traits = traits_of(result);
  result.traits.rows_sum_to_one = summed;
  const auto settled = std::exchange(result.options, chosen.all());
  for (const auto& [option, value] : settled)
    for (auto& [known, said] : result.options)
      if (known == option) said = value;
  return result;
}

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (c != '_' && c != '-' && c != ' ')
      plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return plain;
}

const Method* method_named(std::string_view name) {
  for (const Method* method : all_methods())
    if (method->name == name) return method;
  const std::string plain = plain_name(name);
  const auto is_meant = [&](std::string_view known) { return plain_name(known) == plain; };
  for (const Method* method : all_methods())
    if (is_meant(method->name) || std::any_of(method->aliases.begin(), method->aliases.end(), is_meant))
      return method;
  return nullptr;
}

const Method& find_method(std::string_view name) {
  if (const Method* method = method_named(name)) return *method;
  std::vector<std::string_view> names;
  for (const Method* method : all_methods()) names.push_back(method->name);
  // A part of a name is meant as such: "rollout".
  const auto strangeness = [&](std::string_view known) {
    return known.find(name) != std::string_view::npos ? 0 : edit_distance(known, name);
  };
  std::stable_sort(names.begin(), names.end(),
                   [&](std::string_view a, std::string_view b) { return strangeness(a) < strangeness(b); });
  names.resize(std::min<std::size_t>(names.size(), 3));
  throw InputError(
      fmt::format("method: expected a known one, found '{}'; the nearest are {} (headwater methods "
                  "lists all)",
                  name, fmt::join(names, ", ")));
}

void require_supported(const Method& method, const ModelInfo& info) {
  if (method.needs_target && info.task == Task::FeatureExtraction)
    throw Unsupported(
        fmt::format("{}: explains an output, and {} has no task head; open a model with one, or use a "
                    "token-mixing method such as attention_rollout",
                    method.name, info.architecture));
  if (!method.instead.empty() && is_encoder_decoder(info))
    throw Unsupported(
        fmt::format("{}: is defined for one stack of blocks, and {} is an encoder–decoder; use {}",
                    method.name, info.architecture, method.instead));
  if (method.unsupported == nullptr) return;
  if (std::string reason = method.unsupported(info); !reason.empty()) throw Unsupported(reason);
}

}  // namespace headwater
