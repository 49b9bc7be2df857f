// Command: one subcommand of the program, as a record. The folder is the registry.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace CLI {
class App;
}

namespace headwater {

struct Command {
  std::string_view name, summary;
  std::string_view group;  // heading in the help; empty: hidden
  // Declares the options on `app` and returns what runs when the command was chosen (its exit code).
  std::function<int()> (*setup)(CLI::App& app);
};

std::span<const Command* const> all_commands();

// The whole command line: every command with its options. What was chosen sets `chosen` while parsing.
std::unique_ptr<CLI::App> make_app(std::function<int()>& chosen);

// Parses, runs, and turns every error into one line on standard error and an exit code (error.h). Usage
// errors are 2. Throws nothing.
int run_program(int argc, const char* const* argv) noexcept;

}  // namespace headwater
