// `headwater methods`: the records of the methods, all in a list or one in full.
#include <headwater/error.h>

#include "cli/commands/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "methods/method.h"
#include "prose/method_text.h"

namespace headwater {
namespace {

constexpr const char* formats = "text|json|markdown";

struct Options {
  std::string name;
  OutputOptions output;
};

int run(const Options& options) {
  const std::string format = options.output.chosen_format(formats, ".txt=text .md=markdown");
  if (format == "markdown" && !options.name.empty())
    throw InputError("methods: markdown is the page of all methods; leave the name out");
  Output output(options.output.path);
  if (format == "markdown") return finish_with(output, methods_markdown());
  const Method* one = options.name.empty() ? nullptr : &find_method(options.name);
  if (format == "json") return finish_with(output, one != nullptr ? method_json(*one) : methods_json());
  return finish_with_text(output, one != nullptr ? method_page(*one) : methods_table());
}

void declare(Arguments& arguments, Options& options) {
  arguments.add("name  ", options.name, "A method: its formula, paper, cost, limits and options");
  add_output_options(arguments, options.output, formats);
}

}  // namespace

extern const Command methods{.name = "methods",
                             .summary = "List the methods, or describe one",
                             .group = "Look around",
                             .setup = set_up<declare, run>};

}  // namespace headwater
