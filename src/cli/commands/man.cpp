// `headwater man`: the manual page, written from the options themselves.
#include "cli/commands/command.h"
#include "cli/describe.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/version.h"

namespace headwater {
namespace {

void declare(Arguments& arguments, OutputOptions& options) {
  add_output_options(arguments, options, "");
}

int run(const OutputOptions& options) {
  Output output(options.path);
  return finish_with(output, man_page(described_program(), version_line()));
}

}  // namespace

extern const Command man{
    .name = "man", .summary = "Print the manual page", .group = "", .setup = set_up<declare, run>};

}  // namespace headwater
