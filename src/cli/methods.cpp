// `headwater methods`: the records of the methods, all in a list or one in full.
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli_support/method_text.h"
#include "cli_support/options.h"
#include "cli_support/output.h"
#include "methods/method.h"

namespace headwater {
namespace {

struct Options {
  std::string name;
  OutputOptions output;
};

int run(const Options& options) {
  const bool json = options.output.chosen_format("text|json", ".txt=text") == "json";
  Output output(options.output.path);
  if (options.name.empty()) {
    json ? output.write(methods_json()) : output.write_text(methods_table());
  } else {
    const Method& method = find_method(options.name);
    json ? output.write(method_json(method)) : output.write_text(method_page(method));
  }
  output.finish();
  return 0;
}

std::function<int()> setup(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("name", options->name, "A method: its formula, paper, cost, limits and options")
      ->option_text(" ");
  add_output_options(app, options->output, "text|json");
  return [options] { return run(*options); };
}

}  // namespace

extern const Command methods{.name = "methods",
                             .summary = "The ways to explain, and what each one means",
                             .group = "Look around",
                             .setup = setup};

}  // namespace headwater
