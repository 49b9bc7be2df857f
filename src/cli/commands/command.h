// Command: one subcommand of the program, as a record. The folder is the registry.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "cli/describe.h"

namespace headwater {

class Arguments;

struct Command {
  std::string_view name, summary;
  std::string_view group;  // heading in the help; empty: hidden
  // Declares what it takes and returns what runs when the command was chosen (its exit code).
  std::function<int()> (*setup)(Arguments& arguments);
};

std::span<const Command* const> all_commands();

// Every command with its options, for what is written from them.
ProgramText described_program();

// Parses, runs, and turns every error into one line on standard error and an exit code (error.h). Usage
// errors are 2. Throws nothing.
int run_program(int argc, const char* const* argv) noexcept;

}  // namespace headwater
