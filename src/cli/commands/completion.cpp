// `headwater completion bash|zsh|fish`: what the installation puts where the shells look.
#include <memory>

#include "cli/arguments.h"
#include "cli/commands/command.h"
#include "cli/completions.h"
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
  output.write(options.shell == "bash"  ? bash_completion(program)
               : options.shell == "zsh" ? zsh_completion(program)
                                        : fish_completion(program));
  output.finish();
  return 0;
}

std::function<int()> setup(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.add("shell", options->shell, "The shell").required().choices("bash|zsh|fish");
  add_output_options(arguments, options->output, "");
  return [options] { return run(*options); };
}

}  // namespace

extern const Command completion{
    .name = "completion", .summary = "Print the completions of a shell", .group = "", .setup = setup};

}  // namespace headwater
