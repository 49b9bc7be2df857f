// `headwater help`: the help of a command, or the record of a method, by the words that others use for it.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/nearest.h"
#include "cli/commands/command.h"
#include "methods/method.h"

namespace headwater {
namespace {

struct Options {
  std::string name, part;
};

std::vector<const char*> command_words(const Options& options) {
  if (options.name.empty()) return {"headwater", "--help"};
  const auto commands = all_commands();
  if (std::any_of(commands.begin(), commands.end(),
                  [&](const Command* command) { return command->name == options.name; }))
    return {"headwater", options.name.c_str(), "--help"};
  if (method_named(options.name) != nullptr) return {"headwater", "methods", options.name.c_str()};
  std::vector<std::string> names;
  for (const Command* command : commands)
    if (!command->group.empty()) names.emplace_back(command->name);
  throw InputError(fmt::format("help: expected a command ({}) or a method, found \"{}\"{}",
                               fmt::join(names, ", "), options.name, suggestion(options.name, names)));
}

int run(const Options& options) {
  std::vector<const char*> words = command_words(options);
  if (!options.part.empty()) words.push_back(options.part.c_str());
  return run_program(static_cast<int>(words.size()), words.data());
}

void declare(Arguments& arguments, Options& options) {
  arguments.add("name  ", options.name, "A command or a method");
  arguments.add("part  ", options.part, "For a command that explains: a method, or files");
}

}  // namespace

extern const Command help{.name = "help",
                          .summary = "Print help for a command or a method",
                          .group = "About the program",
                          .setup = set_up<declare, run>};

}  // namespace headwater
