#include "cli/commands/command.h"

#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <headwater/error.h>

#include "base/nearest.h"
#include "base/utf8.h"
#include "cli/arguments.h"
#include "cli/describe.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/standard_streams.h"
#include "cli/version.h"
#include "methods/method.h"
#include "prose/method_text.h"

namespace headwater {
namespace {

constexpr int usage_error = 2;
constexpr int internal_error = 70;

int fail(std::string_view message, int code) {
  write_stderr(fmt::format("headwater: error: {}\n", message));
  return code;
}

void print_text(const std::string& text) {
  Output output("");
  output.write_text(text);
  output.finish();
}

std::vector<std::string> visible_commands() {
  std::vector<std::string> names;
  for (const Command* command : all_commands())
    if (!command->group.empty()) names.emplace_back(command->name);
  return names;
}

// What stands behind --help: "files", or a method, whose options are too many for the help of a command that
// takes any. Empty: nothing of the kind.
std::string help_on_part(const CLI::App& app, std::span<const char* const> words) {
  if (words.size() < 4) return {};
  const std::vector<const CLI::App*> commands =
      app.get_subcommands([&](const CLI::App* command) { return command->get_name() == words[1]; });
  if (commands.empty()) return {};
  const CLI::App& command = *commands.front();
  for (std::size_t i = 2; i + 1 < words.size(); ++i) {
    const std::string_view word = words[i], next = words[i + 1];
    if ((word != "--help" && word != "-h") || next.starts_with('-') || next.find(' ') != next.npos) continue;
    if (next == "files") return file_options_help(command);
    if (command.get_option_no_throw("--method") != nullptr) return method_page(find_method(next));
  }
  return {};
}

// A first word that is no command is the commonest slip; CLI11 would only call it unexpected.
void require_known_command(std::span<const char* const> words) {
  if (words.size() < 2 || words[1][0] == '-') return;
  const std::string_view first = words[1];
  for (const Command* command : all_commands())
    if (command->name == first) return;
  const std::vector<std::string> names = visible_commands();
  throw InputError(fmt::format("{}: expected a command ({}), found none of them{}", first,
                               fmt::join(names, ", "), suggestion(first, names)));
}

// CLI11 names what it did not expect; add what was probably meant.
std::string unexpected_arguments(const CLI::App& app) {
  const CLI::App* chosen = &app;
  while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().front();
  const std::vector<std::string> extras = app.remaining(true);
  const std::string first = extras.empty() ? "" : extras.front();
  if (!first.starts_with('-'))
    return fmt::format(
        "{}: expected one text, found another argument \"{}\"; put a text of several words in quotes",
        chosen->get_name(), first);
  std::vector<std::string> known;
  for (const CLI::Option* option : chosen->get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  if (first == "--device" || first == "--gpu" || first == "--cuda")
    return fmt::format("{}: {}: headwater runs only on the processor; leave it out", chosen->get_name(),
                       first);
  const std::string meant = suggestion(first, known);
  // What is near no option was perhaps a text: everything after -- is one.
  const bool text = meant.empty() && chosen->get_option_no_throw("text") != nullptr;
  const std::string hint =
      text ? fmt::format(", or, if it is a text: headwater {} … -- \"{}\"", chosen->get_name(), first) : "";
  return fmt::format("{}: unknown option {}{}; see headwater {} --help{}", chosen->get_name(), first, meant,
                     chosen->get_name(), hint);
}

int report_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    // Help and version are data, asked for: they go to standard output.
    std::ostringstream text;
    app.exit(error, text, text);
    print_text(text.str());
    return 0;
  }
  std::string message = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) message = unexpected_arguments(app);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    message = message.substr(0, message.find(':')) + ": expected a value after it, found none";
  return fail(message, usage_error);
}

// The groups in the order of the help; the registry itself is alphabetical.
std::vector<const Command*> by_group() {
  std::vector<const Command*> commands;
  for (const std::string_view group : {"Use a model", "Look around", "About the program", ""})
    for (const Command* command : all_commands())
      if (command->group == group) commands.push_back(command);
  return commands;
}

// The whole command line: every command with its options. What was chosen sets `chosen` while parsing.
std::unique_ptr<CLI::App> make_app(std::function<int()>& chosen) {
  auto app = std::make_unique<CLI::App>("Shows where a Transformer's prediction comes from.", "headwater");
  app->require_subcommand(0, 1);
  for (const Command* command : by_group()) {
    CLI::App* sub = app->add_subcommand(std::string(command->name), std::string(command->summary));
    sub->group(std::string(command->group));
    Arguments arguments(*sub);
    const std::function<int()> run = command->setup(arguments);
    use_our_help(*sub);
    sub->final_callback([&chosen, run] { chosen = run; });
  }
  app->set_version_flag("--version", version_line, "Print the version")->group("Other");
  use_our_help(*app);
  app->footer(
      "A model is a Hugging Face folder, the name of a shipped model (sentiment, vision), or a repo id\n"
      "in the Hugging Face cache. Nothing is ever fetched from the network.\n\n"
      "  headwater predict -m sentiment \"not bad at all\"\n"
      "  headwater explain -m sentiment \"not bad at all\" -o report.html\n"
      "  headwater help explain");
  return app;
}

int parse_and_run(int argc, const char* const* argv) {
  std::function<int()> chosen;
  const std::unique_ptr<CLI::App> app = make_app(chosen);
  const std::span<const char* const> words(argv, static_cast<std::size_t>(argc));
  try {
    require_known_command(words);
    if (const std::string part = help_on_part(*app, words); !part.empty()) {
      print_text(part);
      return 0;
    }
    app->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_parse_error(*app, error);
  }
  if (!chosen) {
    print_text(app->help());
    return 0;
  }
  return chosen();
}

}  // namespace

ProgramText described_program() {
  std::function<int()> ignored;
  return describe(*make_app(ignored));
}

int run_program(int argc, const char* const* argv) noexcept {
  try {
    keep_standard_streams();
    handle_interrupts();
    return parse_and_run(argc, argv);
  } catch (const Error& error) {
    return fail(error.what(), error.exit_code());
  } catch (const std::bad_alloc&) {  // the caller can correct it: a file or an argument asks for too much
    return fail(
        "not enough memory; try a shorter text or fewer methods at once, or see the planned memory with "
        "--dry-run",
        usage_error);
  } catch (const std::filesystem::filesystem_error& error) {  // circular links, unreadable folders
    return fail(
        fmt::format("{}: {}; name another place", printable(error.path1().string()), error.code().message()),
        usage_error);
  } catch (const std::exception& error) {
    return fail(fmt::format("internal: {}", error.what()), internal_error);
  }
}

}  // namespace headwater
