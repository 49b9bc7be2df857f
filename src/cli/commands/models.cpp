// `headwater models`: what can be opened: families with their heads, shipped models, cached models.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/files.h"
#include "checkpoint/checkpoint.h"
#include "cli/commands/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "engine/places.h"
#include "prose/model_text.h"
#include "prose/table.h"
#include "result/text_width.h"

namespace headwater {
namespace {

struct Options {
  ModelOptions model;
  OutputOptions output;
  bool names = false;
};

std::vector<ModelFolder> shipped_models() {
  std::vector<ModelFolder> models;
  for (const std::string& place : shipped_model_folders())
    for (const std::string& name : entries_of(place))
      if (const std::string path = fmt::format("{}/{}", place, name); file_exists(path + "/config.json"))
        models.push_back({.path = path, .id = name, .commit = {}});
  // The first place that has a name is the one -m finds.
  std::stable_sort(models.begin(), models.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  models.erase(
      std::unique(models.begin(), models.end(), [](const auto& a, const auto& b) { return a.id == b.id; }),
      models.end());
  return models;
}

int run(const Options& options) {
  const std::string format = options.output.chosen_format("text|json", ".txt=text");
  const std::vector<ModelFolder> shipped = shipped_models();
  const std::vector<ModelFolder> cached =
      cached_models({.cache_dir = options.model.cache_dir, .revision = {}, .shipped = {}});
  Output output(options.output.path);
  if (!options.names)
    return format == "json" ? finish_with(output, models_json(shipped, cached))
                            : finish_with_text(output, models_text(shipped, cached));
  std::string names;
  for (const auto* models : {&shipped, &cached})
    for (const ModelFolder& model : *models) names += visible(model.id) + "\n";
  return finish_with(output, names);
}

void declare(Arguments& arguments, Options& options) {
  add_cache_dir_option(arguments, options.model.cache_dir);
  arguments.under("Output").add("--names", options.names, "Print only the names for -m, one per line");
  add_output_options(arguments, options.output, "text|json");
}

}  // namespace

extern const Command models{.name = "models",
                            .summary = "List what can be opened: families, shipped and cached models",
                            .group = "Look around",
                            .setup = set_up<declare, run>};

}  // namespace headwater
