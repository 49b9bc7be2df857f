// What is generated from the command line: completions and manual page follow a small app, so that every
// kind of option is seen once.
#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include "cli/arguments.h"
#include "cli/describe.h"
#include "cli/options.h"

namespace headwater {
namespace {

class Generated : public ::testing::Test {
 protected:
  Generated() : app_("Does things.", "headwater") {
    CLI::App* sub = app_.add_subcommand("predict", "What it's saying");
    sub->group("Use");
    sub->add_option("text", text_, "The text");
    sub->add_option("-m,--model", text_, "A model: [any]")->option_text("MODEL")->envname("HEADWATER_MODEL");
    sub->add_option("--file", text_, "A file")->option_text("FILE");
    sub->add_option("--cache", text_, "A folder")->option_text("FOLDER");
    sub->add_option("--method", text_, "Methods")->option_text("METHODS");
    sub->add_option("--top", text_, "A number")->option_text("N");
    Arguments(*sub).add("--format text|json", text_, "A format").choices();
    sub->add_flag("--quiet", flag_, "Silent");
    app_.add_subcommand("secret", "Hidden")->group("");
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  CLI::App app_;
  std::string text_;
  bool flag_ = false;
};

TEST_F(Generated, DescribesWhatIsVisible) {
  const ProgramText program = describe(app_);
  ASSERT_EQ(program.commands.size(), 1U);
  const CommandText& command = program.commands[0];
  ASSERT_EQ(command.positionals.size(), 1U);
  EXPECT_EQ(command.positionals[0].name, "text");
  const OptionText& model = command.options[1];
  EXPECT_EQ(model.flags, (std::vector<std::string>{"-m", "--model"}));
  EXPECT_EQ(model.environment, "HEADWATER_MODEL");
  EXPECT_TRUE(model.takes_value());
  EXPECT_FALSE(command.options.back().takes_value());
}

TEST_F(Generated, Bash) {
  const std::string text = bash_completion(describe(app_));
  EXPECT_TRUE(has(text, "compgen -W 'text json'"));
  EXPECT_TRUE(has(text, "-m|--model) "));
  EXPECT_TRUE(has(text, "--file) compopt -o filenames"));
  EXPECT_FALSE(has(text, "secret"));
}

TEST_F(Generated, Zsh) {
  const std::string text = zsh_completion(describe(app_));
  EXPECT_TRUE(text.starts_with("#compdef headwater"));
  EXPECT_TRUE(has(text, "'*--model[A model\\: \\[any\\]]:model:_headwater_models'"));
  EXPECT_TRUE(has(text, "'predict:What it'\\''s saying'"));
}

TEST_F(Generated, Fish) {
  const std::string text = fish_completion(describe(app_));
  EXPECT_TRUE(has(text, "-s m -l model -x"));
  EXPECT_TRUE(has(text, "-l format -x -a 'text json'"));
  EXPECT_TRUE(has(text, "-l top -x -d"));
}

TEST_F(Generated, ManualPage) {
  const std::string text = man_page(describe(app_), "headwater 1.2.3");
  EXPECT_TRUE(text.starts_with(".TH HEADWATER 1"));
  EXPECT_TRUE(has(text, "\\fB\\-m\\fR, \\fB\\-\\-model\\fR \\fIMODEL\\fR"));
  EXPECT_TRUE(has(text, "As \\fB\\-\\-model\\fR."));
  for (const char* section : {"NAME", "SYNOPSIS", "COMMANDS", "ENVIRONMENT", "EXIT STATUS", "EXAMPLES"})
    EXPECT_TRUE(has(text, std::string(".SH ") + section + "\n")) << section;
}

}  // namespace
}  // namespace headwater
