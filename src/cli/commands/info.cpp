// `headwater info`: what runs here, and with which kernels.
#include <string>
#include <vector>

#include "base/files.h"
#include "base/parallel.h"
#include "base/processors.h"
#include "cli/commands/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/version.h"
#include "engine/places.h"
#include "prose/program_text.h"

namespace headwater {
namespace {

struct Options {
  OutputOptions output;
  int threads = 0;
};

std::vector<std::string> places_of_models() {
  std::vector<std::string> places = shipped_model_folders();
  std::erase_if(places, [](const std::string& place) { return !is_directory(place); });
  return places;
}

ProgramRecord program(const Options& options) {
  return {.version = version_line(),
          .compiler = HEADWATER_COMPILER,
          .build = HEADWATER_BUILD_TYPE,
          .threads = thread_count(),
          // Which of the things that can limit them did: the option (or its variable), or the budget.
          .threads_decided_by =
              options.threads > 0 ? "--threads or HEADWATER_THREADS" : thread_budget().decided_by,
          .model_folders = places_of_models()};
}

int run(const Options& options) {
  set_thread_count(options.threads);
  const bool json = options.output.chosen_format("text|json", ".txt=text") == "json";
  Output output(options.output.path);
  return finish_with(output, json ? program_json(program(options)) : program_text(program(options)));
}

void declare(Arguments& arguments, Options& options) {
  add_threads_option(arguments, options.threads);
  add_output_options(arguments, options.output, "text|json");
}

}  // namespace

extern const Command info{.name = "info",
                          .summary = "Print version, build, processor and the kernels in use",
                          .group = "About the program",
                          .setup = set_up<declare, run>};

}  // namespace headwater
