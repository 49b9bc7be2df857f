#include "cli/describe.h"

#include <CLI/CLI.hpp>

#include "base/strings.h"

namespace headwater {
namespace {

OptionText describe_option(const CLI::Option& option) {
  OptionText text;
  for (const std::string& name : option.get_snames()) text.flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.flags.push_back("--" + name);
  text.name = option.get_name(true, false);
  const bool has_value = option.get_type_size() != 0 && !text.flags.empty();
  text.value = has_value ? option.get_option_text() : std::string();
  text.help = option.get_description();
  text.group = option.get_group();
  text.environment = option.get_envname();
  return text;
}

void describe_options(const CLI::App& app, std::vector<OptionText>& options,
                      std::vector<OptionText>& positionals) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    OptionText text = describe_option(*option);
    (text.flags.empty() ? positionals : options).push_back(std::move(text));
  }
}

}  // namespace

std::vector<std::string> OptionText::choices() const {
  return value.find('|') == std::string::npos ? std::vector<std::string>() : split(value, '|');
}

ProgramText describe(const CLI::App& app) {
  ProgramText program{
      .name = app.get_name(), .summary = app.get_description(), .options = {}, .commands = {}};
  std::vector<OptionText> none;
  describe_options(app, program.options, none);
  for (const CLI::App* sub : app.get_subcommands({})) {
    if (sub->get_group().empty()) continue;
    CommandText command{.name = sub->get_name(),
                        .summary = sub->get_description(),
                        .group = sub->get_group(),
                        .options = {},
                        .positionals = {}};
    describe_options(*sub, command.options, command.positionals);
    program.commands.push_back(std::move(command));
  }
  return program;
}

}  // namespace headwater
