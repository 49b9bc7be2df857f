#include <map>

#include <fmt/format.h>

#include "cli/describe.h"

namespace headwater {
namespace {

// roff takes a backslash as a command, a leading dot or quote as a request, and - as a hyphen that cannot be
// searched for.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string option_entry(const OptionText& option) {
  std::string names;
  for (const std::string& flag : option.flags)
    names += (names.empty() ? "" : ", ") + fmt::format("\\fB{}\\fR", roff(flag));
  if (option.flags.empty()) names = fmt::format("\\fI{}\\fR", roff(option.name));
  if (option.takes_value()) names += fmt::format(" \\fI{}\\fR", roff(option.value));
  std::string help = roff(option.help);
  if (!option.environment.empty()) help += fmt::format(" Environment: \\fB{}\\fR.", option.environment);
  return fmt::format(".TP\n{}\n{}\n", names, help);
}

std::string command_section(const CommandText& command) {
  std::string arguments;
  for (const OptionText& option : command.positionals)
    arguments += fmt::format(" [\\fI{}\\fR]", roff(option.name));
  std::string out = fmt::format(".SS headwater {}\n{}.\n.PP\n\\fBheadwater {}\\fR [options]{}\n",
                                command.name, roff(command.summary), command.name, arguments);
  for (const OptionText& option : command.positionals) out += option_entry(option);
  for (const OptionText& option : command.options) out += option_entry(option);
  return out;
}

std::string environment_section(const ProgramText& program) {
  std::map<std::string, std::string> twins;
  for (const CommandText& command : program.commands)
    for (const OptionText& option : command.options)
      if (!option.environment.empty()) twins[option.environment] = option.flags.back();
  std::string out = ".SH ENVIRONMENT\nAn option on the command line wins over its variable.\n";
  for (const auto& [name, flag] : twins)
    out += fmt::format(".TP\n\\fB{}\\fR\nAs \\fB{}\\fR.\n", name, roff(flag));
  return out +
         ".TP\n\\fBHEADWATER_MODELS\\fR\nFolders, separated by colons, that hold models found by plain "
         "name.\n"
         ".TP\n\\fBHF_HUB_CACHE\\fR, \\fBHF_HOME\\fR, \\fBXDG_CACHE_HOME\\fR\nWhere the Hugging Face cache "
         "lies.\n"
         ".TP\n\\fBNO_COLOR\\fR\nNo colours, whatever the terminal.\n";
}

constexpr const char* exit_section =
    ".SH EXIT STATUS\n.TP\n\\fB0\\fR\nEverything was done.\n.TP\n\\fB1\\fR\nSome inputs of a run with "
    "\\-\\-keep\\-going failed; the others are done.\n.TP\n\\fB2\\fR\nThe request can be corrected: text, "
    "option, target.\n.TP\n\\fB3\\fR\nA file is broken; the message names file and "
    "place.\n.TP\n\\fB4\\fR\nWell formed but not supported; the message says what is "
    "supported.\n.TP\n\\fB70\\fR\nA defect of the program.\n.TP\n\\fB130\\fR\nInterrupted; no half\\-written "
    "file is left, and what \\-\\-resume can go on from is.\n";

constexpr const char* example_section =
    ".SH EXAMPLES\n"
    ".nf\n"
    "headwater predict \\-m sentiment \"not bad at all\"\n"
    "headwater predict \\-m sentiment \\-f lines.txt \\-\\-format jsonl\n"
    "headwater explain \\-m sentiment \"not bad at all\" \\-o report.html\n"
    "headwater explain \\-m ./my\\-model \\-\\-target 1 \\-\\-contrast 0 \\-\\-method "
    "integrated_gradients \"…\"\n"
    ".fi\n";

}  // namespace

std::string man_page(const ProgramText& program, const std::string& version) {
  std::string out = fmt::format(
      ".TH HEADWATER 1 \"\" \"{}\" \"User Commands\"\n"
      ".SH NAME\nheadwater \\- shows where a Transformer's prediction comes from\n"
      ".SH SYNOPSIS\n\\fBheadwater\\fR \\fIcommand\\fR [options] [\\fItext\\fR]\n"
      ".SH DESCRIPTION\n"
      "Opens a Hugging Face model folder, runs it, and traces each prediction back to its sources. A model "
      "is a\n"
      "folder, the name of a shipped model, or a repo id in the Hugging Face cache; nothing is ever fetched "
      "from\n"
      "the network. Results go to standard output, messages to standard error.\n"
      ".SH COMMANDS\n",
      roff(version));
  for (const CommandText& command : program.commands) out += command_section(command);
  return out + environment_section(program) + exit_section + example_section;
}

}  // namespace headwater
