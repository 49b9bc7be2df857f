// `headwater man`: the manual page, written from the options themselves.
#include <memory>

#include "cli/commands/command.h"
#include "cli/describe.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/version.h"

namespace headwater {
namespace {

std::function<int()> setup(Arguments& arguments) {
  auto options = std::make_shared<OutputOptions>();
  add_output_options(arguments, *options, "");
  return [options] {
    Output output(options->path);
    return finish_with(output, man_page(described_program(), version_line()));
  };
}

}  // namespace

extern const Command man{.name = "man", .summary = "Print the manual page", .group = "", .setup = setup};

}  // namespace headwater
