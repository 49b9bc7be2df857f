#include "cli/arguments.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/nearest.h"
#include "base/strings.h"
#include "cli/options.h"

namespace headwater {

Argument& Argument::value(const std::string& text) {
  option_->option_text(text);
  return *this;
}

Argument& Argument::choices(const std::string& words) {
  option_->option_text(words);
  option_->check([words](const std::string& given) {
    const std::vector<std::string> known = split(words, '|');
    if (std::find(known.begin(), known.end(), given) != known.end()) return std::string();
    return fmt::format("expected {}, found \"{}\"{}", fmt::join(known, ", "), given,
                       suggestion(given, known));
  });
  return *this;
}

Argument& Argument::range(std::int64_t least, std::int64_t most) {
  option_->check([least, most](const std::string& given) {
    std::int64_t number = 0;
    const char* end = given.data() + given.size();
    const auto [rest, error] = std::from_chars(given.data(), end, number);
    if (error == std::errc() && rest == end && number >= least && number <= most) return std::string();
    return fmt::format("expected a number from {} to {}, found \"{}\"", least, most, given);
  });
  return *this;
}

Argument& Argument::group(const std::string& heading) {
  option_->group(heading);
  return *this;
}

Argument& Argument::environment(const std::string& variable) {
  option_->envname(variable);
  return *this;
}

Argument& Argument::required() {
  option_->required();
  return *this;
}

template <class T>
Argument Arguments::add(const std::string& names, T& variable, const std::string& help) {
  if constexpr (std::is_same_v<T, bool>)
    return Argument(*app_->add_flag(names, variable, help));
  else
    return Argument(*app_->add_option(names, variable, help));
}
template Argument Arguments::add(const std::string&, bool&, const std::string&);
template Argument Arguments::add(const std::string&, std::string&, const std::string&);
template Argument Arguments::add(const std::string&, int&, const std::string&);
template Argument Arguments::add(const std::string&, unsigned&, const std::string&);
template Argument Arguments::add(const std::string&, std::optional<int>&, const std::string&);
template Argument Arguments::add(const std::string&, std::int64_t&, const std::string&);
template Argument Arguments::add(const std::string&, std::uint64_t&, const std::string&);
template Argument Arguments::add(const std::string&, double&, const std::string&);
template Argument Arguments::add(const std::string&, std::vector<double>&, const std::string&);
template Argument Arguments::add(const std::string&, std::vector<std::string>&, const std::string&);

Argument Arguments::add(const std::string& names, const std::function<void(const std::string&)>& take,
                        const std::string& help) {
  return Argument(*app_->add_option_function<std::string>(names, take, help));
}

Argument Arguments::add_repeated(const std::string& names,
                                 const std::function<void(const std::string&)>& take,
                                 const std::string& help) {
  CLI::Option* option = app_->add_option_function<std::string>(names, take, help);
  return Argument(*option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->trigger_on_parse());
}

std::vector<GivenOption> Arguments::given() const {
  std::vector<GivenOption> all;
  for (const CLI::Option* option : app_->get_options()) {
    if (option->count() == 0) continue;
    const bool is_switch = option->get_expected_max() == 0;
    all.push_back({option->get_lnames().empty() ? option->get_name() : "--" + option->get_lnames().front(),
                   is_switch ? std::vector<std::string>() : option->results()});
  }
  return all;
}

bool Arguments::has(const std::string& flag) const {
  return app_->get_option_no_throw(flag) != nullptr;
}

}  // namespace headwater
