// The command line as data, read from the CLI11 app, for whatever is generated from it: completions and the
// manual page. Hidden commands and options are left out.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace headwater {

struct OptionText {
  std::vector<std::string> flags;  // "-m", "--model"; empty for a positional argument
  std::string name;                // of a positional argument
  std::string value;               // what follows: "MODEL", "a|b|c"; empty for a switch
  std::string help, group, environment;

  bool takes_value() const { return !value.empty(); }
  std::vector<std::string> choices() const;  // of "a|b|c", else empty
};

struct CommandText {
  std::string name, summary, group;
  std::vector<OptionText> options;  // -h included
  std::vector<OptionText> positionals;
};

struct ProgramText {
  std::string name, summary;
  std::vector<OptionText> options;
  std::vector<CommandText> commands;
};

ProgramText describe(const CLI::App& app);

}  // namespace headwater
