// `headwater version`: one line, as --version prints it.
#include "cli/version.h"

#include <fmt/format.h>

#include "cli/commands/command.h"

namespace headwater {
namespace {

std::function<int()> setup(Arguments& /*arguments*/) {
  return [] {
    fmt::print("{}\n", version_line());
    return 0;
  };
}

}  // namespace

extern const Command version{
    .name = "version", .summary = "Print the version", .group = "About the program", .setup = setup};

}  // namespace headwater
