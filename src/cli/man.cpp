// `headwater man`: the manual page, written from the options themselves.
#include <memory>

#include "cli/command.h"
#include "cli_support/man_page.h"
#include "cli_support/options.h"
#include "cli_support/output.h"
#include "cli_support/version.h"

namespace headwater {
namespace {

std::function<int()> setup(Arguments& arguments) {
  auto options = std::make_shared<OutputOptions>();
  add_output_options(arguments, *options, "");
  return [options] {
    Output output(options->path);
    output.write(man_page(described_program(), version_line()));
    output.finish();
    return 0;
  };
}

}  // namespace

extern const Command man{.name = "man", .summary = "Print the manual page", .group = "", .setup = setup};

}  // namespace headwater
