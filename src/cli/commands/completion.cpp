// `headwater completion bash|zsh|fish`: what the installation puts where the shells look.
#include "cli/commands/command.h"
#include "cli/describe.h"
#include "cli/options.h"
#include "cli/output.h"

namespace headwater {
namespace {

struct Options {
  std::string shell;
  OutputOptions output;
};

int run(const Options& options) {
  const ProgramText program = described_program();
  Output output(options.output.path);
  return finish_with(output, options.shell == "bash"  ? bash_completion(program)
                             : options.shell == "zsh" ? zsh_completion(program)
                                                      : fish_completion(program));
}

void declare(Arguments& arguments, Options& options) {
  arguments.add("shell bash|zsh|fish", options.shell, "The shell").required().choices();
  add_output_options(arguments, options.output, "");
}

}  // namespace

extern const Command completion{.name = "completion",
                                .summary = "Print the completions for a shell",
                                .group = "",
                                .setup = set_up<declare, run>};

}  // namespace headwater
