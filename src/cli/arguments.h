// The options of a command, declared one by one. CLI11 parses them; only this file's source includes it,
// because its header costs every file that includes it seven seconds of compilation.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace headwater {

// One declared option; the calls chain.
class Argument {
 public:
  explicit Argument(CLI::Option& option) : option_(&option) {}

  Argument& choices();  // accepts only the words of its value, "a|b|c", and suggests the nearest
  Argument& range(std::int64_t least, std::int64_t most);  // whole numbers
  Argument& environment(const std::string& variable);      // read if the option is not given
  Argument& required();

 private:
  CLI::Option* option_;
};

// An option that was given, by flag or environment: its longest name and its values, none for a switch.
struct GivenOption {
  std::string flag;
  std::vector<std::string> values;
  bool repeated = false;  // the flag precedes each value
};

class Arguments {
 public:
  explicit Arguments(CLI::App& app) : app_(&app) {}

  // The heading of the options declared from here on.
  Arguments& under(std::string heading);
  // `names` is "-f,--file FILE", with what follows the option in the help, or a word without dashes for a
  // positional argument. T is bool (a switch), std::string, int, unsigned, std::int64_t, std::uint64_t,
  // double, std::optional<int>, std::optional<double> or std::vector<double>; the variable must outlive the
  // parsing.
  template <class T>
  Argument add(const std::string& names, T& variable, const std::string& help);
  // Calls `take` with the given text; with `repeated`, once for each text in order.
  Argument add(const std::string& names, const std::function<void(const std::string&)>& take,
               const std::string& help);
  Argument add_repeated(const std::string& names, const std::function<void(const std::string&)>& take,
                        const std::string& help);
  Argument add_repeated(const std::string& names, std::vector<std::string>& list, const std::string& help);
  bool has(const std::string& flag) const;
  std::vector<GivenOption> given() const;  // in the order of their declaration, after parsing

 private:
  Argument declared(CLI::Option& option, const std::string& names) const;

  CLI::App* app_;
  std::string heading_;
  // CLI11 keeps only the last value of an option whose values are taken one by one.
  std::shared_ptr<std::map<const CLI::Option*, std::vector<std::string>>> repeated_ =
      std::make_shared<std::map<const CLI::Option*, std::vector<std::string>>>();
};

}  // namespace headwater
