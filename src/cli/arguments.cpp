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
namespace {

// "-f,--file" of "-f,--file FILE".
std::string flags_of(const std::string& names) {
  return names.substr(0, names.find(' '));
}

}  // namespace

Argument& Argument::choices() {
  option_->check([words = option_->get_option_text()](const std::string& given) {
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

Argument& Argument::environment(const std::string& variable) {
  option_->envname(variable);
  return *this;
}

Argument& Argument::required() {
  option_->required();
  return *this;
}

Arguments& Arguments::under(std::string heading) {
  heading_ = std::move(heading);
  return *this;
}

Argument Arguments::declared(CLI::Option& option, const std::string& names) const {
  if (const std::size_t space = names.find(' '); space != std::string::npos)
    option.option_text(names.substr(space + 1));
  if (!heading_.empty()) option.group(heading_);
  return Argument(option);
}

template <class T>
Argument Arguments::add(const std::string& names, T& variable, const std::string& help) {
  if constexpr (std::is_same_v<T, bool>)
    return declared(*app_->add_flag(names, variable, help), names);
  else if constexpr (std::is_same_v<T, std::vector<double>>)  // with commas as other lists, or with spaces
    return declared(*app_->add_option(flags_of(names), variable, help)->delimiter(','), names);
  else
    return declared(*app_->add_option(flags_of(names), variable, help), names);
}
template Argument Arguments::add(const std::string&, bool&, const std::string&);
template Argument Arguments::add(const std::string&, std::string&, const std::string&);
template Argument Arguments::add(const std::string&, int&, const std::string&);
template Argument Arguments::add(const std::string&, unsigned&, const std::string&);
template Argument Arguments::add(const std::string&, std::optional<int>&, const std::string&);
template Argument Arguments::add(const std::string&, std::optional<double>&, const std::string&);
template Argument Arguments::add(const std::string&, std::int64_t&, const std::string&);
template Argument Arguments::add(const std::string&, std::uint64_t&, const std::string&);
template Argument Arguments::add(const std::string&, double&, const std::string&);
template Argument Arguments::add(const std::string&, std::vector<double>&, const std::string&);

Argument Arguments::add(const std::string& names, const std::function<void(const std::string&)>& take,
                        const std::string& help) {
  return declared(*app_->add_option_function<std::string>(flags_of(names), take, help), names);
}

Argument Arguments::add_repeated(const std::string& names,
                                 const std::function<void(const std::string&)>& take,
                                 const std::string& help) {
  auto taken = std::make_shared<const CLI::Option*>(nullptr);
  CLI::Option* option = app_->add_option_function<std::string>(
      flags_of(names),
      [take, taken, repeated = repeated_](const std::string& one) {
        (*repeated)[*taken].push_back(one);
        take(one);
      },
      help);
  *taken = option;
  return declared(*option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->trigger_on_parse(), names);
}

Argument Arguments::add_repeated(const std::string& names, std::vector<std::string>& list,
                                 const std::string& help) {
  // A positional argument comes once, with everything that is no option.
  if (!names.starts_with('-')) return declared(*app_->add_option(flags_of(names), list, help), names);
  return add_repeated(
      names, [&list](const std::string& one) { list.push_back(one); }, help);
}

std::vector<GivenOption> Arguments::given() const {
  std::vector<GivenOption> all;
  for (const CLI::Option* option : app_->get_options()) {
    if (option->count() == 0) continue;
    const bool is_switch = option->get_expected_max() == 0;
    const std::string flag =
        option->get_lnames().empty() ? option->get_name() : "--" + option->get_lnames().front();
    if (const auto found = repeated_->find(option); found != repeated_->end())
      all.push_back({flag, found->second, true});
    else
      all.push_back({flag, is_switch ? std::vector<std::string>() : option->results()});
  }
  return all;
}

bool Arguments::has(const std::string& flag) const {
  return app_->get_option_no_throw(flag) != nullptr;
}

}  // namespace headwater
