// The command line as data, read from the CLI11 app, and what is generated from it, so that completions and
// the manual page never differ from it. Hidden commands and options are left out.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace headwater {

// Headings that a command's help only names, because they have many options: --help METHOD shows the options
// of a method, --help files those for files of inputs. Completions and the manual page have all.
inline constexpr const char* method_options_heading = "Options of methods";
inline constexpr const char* file_options_heading = "Files of many inputs";
// The output of --help files; empty for a command without such options.
std::string file_options_help(const CLI::App& command);

struct OptionText {
  std::vector<std::string> flags;  // "-m", "--model"; empty for a positional argument
  std::string name;                // of a positional argument
  std::string value;               // the value: "MODEL", "a|b|c"; empty for a switch
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

std::string bash_completion(const ProgramText& program);
std::string zsh_completion(const ProgramText& program);
std::string fish_completion(const ProgramText& program);
// headwater(1), in the man macros of roff.
std::string man_page(const ProgramText& program, const std::string& version);

// The format of help: options grouped by topic, with their environment variables and choices in the text.
void use_our_help(CLI::App& app);

}  // namespace headwater
