#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/describe.h"

namespace headwater {
namespace {

std::vector<const CLI::Option*> options_under(const CLI::App& app, const std::string& group) {
  return app.get_options([&group](const CLI::Option* option) {
    return option->get_group() == group && option->nonpositional();
  });
}

// The line that stands for a group that is only named, at the end of the group before it; empty for others.
std::string named_only(const CLI::App& app, const std::string& group) {
  if (group == file_options_heading)
    return fmt::format("  {:<28}How files are read, shared and resumed\n", "--help files");
  if (group == method_options_heading)
    return fmt::format("  {:<28}A method's options: headwater {} --help ig\n", "--help METHOD",
                       app.get_name());
  return {};
}

class OurFormatter : public CLI::Formatter {
 public:
  OurFormatter() {
    constexpr std::size_t name_column = 30;
    column_width(name_column);
    label("Positionals", "Input");
    label("SUBCOMMAND", "command");
    label("OPTIONS", "options");
  }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text =
        make_description(app) + "\n" + make_usage(app, std::move(name)) + make_positionals(app);
    text += groups_of(app) + make_subcommands(app, mode);
    const std::string footer = make_footer(app);
    return footer.empty() ? text : text + "\n" + footer;
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_option_text().empty() ? std::string() : " " + option->get_option_text();
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    std::string text = option->get_description();
    if (!option->get_default_str().empty()) text += fmt::format(" (default {})", option->get_default_str());
    if (!option->get_envname().empty()) text += fmt::format(" [{}]", option->get_envname());
    return text;
  }

 private:
  // One blank line between groups. Positionals come before, under the heading that the group "Input" shares.
  std::string groups_of(const CLI::App* app) const {
    const bool shared = !make_positionals(app).empty();
    std::string text;
    for (const std::string& group : app->get_groups()) {
      const std::vector<const CLI::Option*> options = options_under(*app, group);
      if (group.empty() || options.empty()) continue;
      if (const std::string other = named_only(*app, group); !other.empty()) {
        text += other;
        continue;
      }
      const std::string lines = make_group(group, false, options);
      const std::string heading = "\nInput:\n";
      text += shared && lines.starts_with(heading) ? lines.substr(heading.size()) : lines;
    }
    return text;
  }
};

}  // namespace

std::string file_options_help(const CLI::App& command) {
  const std::vector<const CLI::Option*> options = options_under(command, file_options_heading);
  if (options.empty()) return {};
  const OurFormatter formatter;
  return fmt::format("Files of many inputs, for headwater {}\n{}", command.get_name(),
                     formatter.make_group("Options", false, options));
}

void use_our_help(CLI::App& app) {
  app.formatter(std::make_shared<OurFormatter>());
  // Added again so that the group of general options comes last.
  app.set_help_flag();
  app.set_help_flag("-h,--help", "Print this help")->group("Other");
}

}  // namespace headwater
