// Command: one subcommand of the program, as a record. The folder is the registry.
#pragma once

#include <functional>
#include <span>
#include <string_view>

namespace CLI {
class App;
}

namespace headwater {

struct Command {
  std::string_view name, summary, group;
  // Declares the options on `app` and returns what runs when the command was chosen (its exit code).
  std::function<int()> (*setup)(CLI::App& app);
};

std::span<const Command* const> all_commands();

}  // namespace headwater
