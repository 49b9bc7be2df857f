// What a value can be is told by its placeholder in the help: "a|b|c" are words, FILE and FOLDER are paths,
// MODEL is a folder or a name that `headwater models --names` prints, METHOD a name of `headwater methods`.
#include <fmt/format.h>

#include "cli/describe.h"

namespace headwater {
namespace {

constexpr const char* model_names = "headwater models --names 2>/dev/null";
constexpr const char* method_names = "headwater methods 2>/dev/null | cut -d' ' -f1";

// How a shell completes a value: of words, of files and so on, and of anything else.
struct ByKind {
  std::string words, file, folder, model, method, other;
};

std::string of_kind(const OptionText& option, const ByKind& by) {
  if (!option.choices().empty()) return by.words;
  if (option.value == "FILE") return by.file;
  if (option.value == "FOLDER") return by.folder;
  if (option.value == "MODEL") return by.model;
  return option.value.starts_with("METHOD") ? by.method : by.other;
}

// In single quotes for a shell; the quote itself is the only special character there.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string bash_values(const OptionText& option) {
  const auto words = [](const std::string& list) {
    return fmt::format("COMPREPLY=($(compgen {} -- \"$word\"))", list);
  };
  return of_kind(option,
                 {.words = words(fmt::format("-W '{}'", fmt::join(option.choices(), " "))),
                  .file = "compopt -o filenames; " + words("-f"),
                  .folder = "compopt -o filenames; " + words("-d"),
                  .model = "compopt -o filenames; " + words(fmt::format("-d -W \"$({})\"", model_names)),
                  .method = words(fmt::format("-W \"$({})\"", method_names)),
                  .other = "COMPREPLY=()"});
}

std::string bash_command(const CommandText& command) {
  std::string values;
  std::string flags;
  for (const OptionText& option : command.options) {
    for (const std::string& flag : option.flags) flags += (flags.empty() ? "" : " ") + flag;
    if (option.takes_value())
      values += fmt::format("        {}) {}; return ;;\n", fmt::join(option.flags, "|"), bash_values(option));
  }
  return fmt::format(
      "    {})\n"
      "      case \"$previous\" in\n{}"
      "      esac\n"
      "      [[ $word == -* ]] && COMPREPLY=($(compgen -W '{}' -- \"$word\"))\n"
      "      ;;\n",
      command.name, values, flags);
}

std::string zsh_values(const OptionText& option) {
  return of_kind(option, {.words = fmt::format(":value:({})", fmt::join(option.choices(), " ")),
                          .file = ":file:_files",
                          .folder = ":folder:_files -/",
                          .model = ":model:_headwater_models",
                          .method = ":method:_headwater_methods",
                          .other = ":value: "});
}

std::string zsh_option(const OptionText& option) {
  // A description in _arguments ends at its bracket, and a colon starts the value.
  std::string help;
  for (const char c : option.help)
    help += (c == '[' || c == ']' || c == ':') ? std::string("\\") + c : std::string(1, c);
  const std::string value = option.takes_value() ? zsh_values(option) : "";
  std::string lines;
  for (const std::string& flag : option.flags)
    lines += fmt::format("        {} \\\n", quoted(fmt::format("*{}[{}]{}", flag, help, value)));
  return lines;
}

std::string fish_option(const CommandText& command, const OptionText& option) {
  std::string line = fmt::format("complete -c headwater -n '__fish_seen_subcommand_from {}'", command.name);
  for (const std::string& flag : option.flags)
    line += flag.starts_with("--") ? fmt::format(" -l {}", flag.substr(2))
                                   : fmt::format(" -s {}", flag.substr(1));
  line += of_kind(option, {.words = fmt::format(" -x -a '{}'", fmt::join(option.choices(), " ")),
                           .file = " -r -F",
                           .folder = " -x -a '(__fish_complete_directories)'",
                           .model = fmt::format(" -x -a '(__fish_complete_directories; {})'", model_names),
                           .method = " -x -a '(headwater methods 2>/dev/null | string split -f1 \" \")'",
                           .other = option.takes_value() ? " -x" : ""});
  return fmt::format("{} -d {}\n", line, quoted(option.help));
}

}  // namespace

std::string bash_completion(const ProgramText& program) {
  std::string names;
  std::string commands;
  for (const CommandText& command : program.commands) {
    names += command.name + " ";
    commands += bash_command(command);
  }
  return fmt::format(
      "# bash completion for headwater\n"
      "_headwater() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" previous=\"${{COMP_WORDS[COMP_CWORD-1]}}\"\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '{}--help --version' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}"
      "  esac\n"
      "}}\n"
      "complete -o bashdefault -o default -F _headwater headwater\n",
      names, commands);
}

std::string zsh_completion(const ProgramText& program) {
  std::string names;
  std::string commands;
  for (const CommandText& command : program.commands) {
    names += fmt::format("    {}\n", quoted(command.name + ":" + command.summary));
    std::string options;
    for (const OptionText& option : command.options) options += zsh_option(option);
    commands += fmt::format("      {})\n      _arguments -s \\\n{}        '*: :_files'\n      ;;\n",
                            command.name, options);
  }
  return fmt::format(
      "#compdef headwater\n"
      "_headwater_models() {{\n"
      "  local -a names=(${{(f)\"$({})\"}})\n"
      "  _alternative \"names:model:($names)\" 'folders:folder:_files -/'\n"
      "}}\n"
      "_headwater_methods() {{\n"
      "  local -a names=(${{(f)\"$({})\"}})\n"
      "  _values -s , method $names\n"
      "}}\n"
      "_headwater() {{\n"
      "  local -a commands=(\n{}  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $command in\n{}"
      "  esac\n"
      "}}\n"
      "_headwater \"$@\"\n",
      model_names, method_names, names, commands);
}

std::string fish_completion(const ProgramText& program) {
  std::string out = "# fish completion for headwater\n";
  for (const CommandText& command : program.commands)
    out += fmt::format("complete -c headwater -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                       quoted(command.summary));
  for (const CommandText& command : program.commands)
    for (const OptionText& option : command.options) out += fish_option(command, option);
  return out;
}

}  // namespace headwater
