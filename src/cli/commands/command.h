// Command: one subcommand of the program, as a record. The folder is the registry.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include "cli/arguments.h"
#include "cli/describe.h"

namespace headwater {

struct Command {
  std::string_view name, summary;
  std::string_view group;  // heading in the help; empty: hidden
  // Declares what it takes and returns what runs when the command was chosen (its exit code).
  std::function<int()> (*setup)(Arguments& arguments);
};

// The usual setup: void Declare(Arguments&, Options&) and int Run(const Options&), which may ask for what was
// given besides, int Run(const Options&, const Arguments&).
template <auto Declare, auto Run>
std::function<int()> set_up(Arguments& arguments) {
  const auto prepared = [&]<class Options>(void (*declare)(Arguments&, Options&)) -> std::function<int()> {
    const auto options = std::make_shared<Options>();
    declare(arguments, *options);
    return [options, given = arguments] {
      if constexpr (std::is_invocable_v<decltype(Run), const Options&, const Arguments&>)
        return Run(*options, given);
      else
        return Run(*options);
    };
  };
  return prepared(Declare);
}

std::span<const Command* const> all_commands();

// Every command with its options, for what is written from them.
ProgramText described_program();

// Parses, runs, and turns every error into one line on standard error and an exit code (error.h). Usage
// errors are 2. Throws nothing.
int run_program(int argc, const char* const* argv) noexcept;

}  // namespace headwater
