// `headwater info`: what runs here, and with which kernels.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/files.h"
#include "base/parallel.h"
#include "base/processors.h"
#include "cli/commands/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/version.h"
#include "engine/places.h"
#include "kernels/kernels.h"
#include "report/schema.h"
#include "report/table.h"

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

// Which of the things that can limit the threads did: the option (or its variable), or the budget.
std::string threads_decided_by(const Options& options) {
  return options.threads > 0 ? "--threads or HEADWATER_THREADS" : thread_budget().decided_by;
}

std::string as_json(const Options& options) {
  OrderedJson kernels = OrderedJson::object();
  for (const KernelChoice& choice : kernels_in_use()) kernels[choice.kernel] = choice.implementation;
  return dump({{"version", version_line().substr(version_line().find(' ') + 1)},
               {"compiler", HEADWATER_COMPILER},
               {"build", HEADWATER_BUILD_TYPE},
               {"threads", thread_count()},
               {"threads_decided_by", threads_decided_by(options)},
               {"cpu_features", cpu_features()},
               {"kernels", kernels},
               {"shipped_models", places_of_models()}},
              2) +
         "\n";
}

std::string as_text(const Options& options) {
  Table table;
  table.rows = {{"version", version_line()},
                {"build", fmt::format("{}, {}", HEADWATER_BUILD_TYPE, HEADWATER_COMPILER)},
                {"threads", fmt::format("{} ({})", thread_count(), threads_decided_by(options))},
                {"processor", fmt::format("{}", fmt::join(cpu_features(), " "))}};
  for (const KernelChoice& choice : kernels_in_use())
    table.rows.push_back({"kernel " + choice.kernel, choice.implementation});
  for (const std::string& folder : places_of_models()) table.rows.push_back({"shipped models", folder});
  return table.str();
}

int run(const Options& options) {
  set_thread_count(options.threads);
  const bool json = options.output.chosen_format("text|json", ".txt=text") == "json";
  Output output(options.output.path);
  return finish_with(output, json ? as_json(options) : as_text(options));
}

void declare(Arguments& arguments, Options& options) {
  add_threads_option(arguments, options.threads);
  add_output_options(arguments, options.output, "text|json");
}

}  // namespace

extern const Command info{.name = "info",
                          .summary = "Version, build, processor and the kernels in use",
                          .group = "About the program",
                          .setup = set_up<declare, run>};

}  // namespace headwater
