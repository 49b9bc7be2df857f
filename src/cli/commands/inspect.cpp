// `headwater inspect`: what a model is: architecture, shapes, parameters, memory, and its tensors.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <headwater/engine.h>

#include "checkpoint/checkpoint.h"
#include "cli/commands/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "engine/places.h"
#include "prose/model_text.h"
#include "study/inputs.h"
#include "study/memory.h"

namespace headwater {
namespace {

struct Options {
  ModelOptions model;
  OutputOptions output;
  int tokens = 0;
  bool tensors = false;
};

ModelMemory memory_of(const ModelInfo& info, int tokens) {
  constexpr int usual = 128;
  if (tokens > info.positions && info.positions > 0)
    throw InputError(fmt::format("--tokens: expected at most {}, found {}", info.positions, tokens));
  const Index patches = fixed_units(info);
  const Index length = patches > 0          ? patches
                       : tokens > 0         ? tokens
                       : info.positions > 0 ? std::min(info.positions, usual)
                                            : usual;
  const Index rows = patches > 0 ? 1 : length;
  ModelInfo one_layer = info;
  one_layer.last().layers = std::min(info.last().layers, 1);
  return {.tokens = length,
          .weights = info.parameters * bytes_of(info.dtype),
          .forward = planned_run_bytes(one_layer, length, rows),
          .kept = planned_run_bytes(info, length, rows)};
}

// What they point to lives as long as `files`.
ListedTensors tensors_of(const Checkpoint& checkpoint, std::vector<Safetensors>& files) {
  ListedTensors tensors;
  for (const std::string& path : checkpoint.weight_files) {
    files.push_back(Safetensors::open(path));
    for (const auto& [name, tensor] : files.back().tensors()) tensors.emplace_back(name, tensor);
  }
  std::sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return tensors;
}

int run(const Options& options) {
  const bool json = options.output.chosen_format("text|json", ".txt=text") == "json";
  Output output(options.output.path);
  const Engine engine = options.model.load(options.output);
  const ModelFolder folder = find_model(options.model.required_model(), {.cache_dir = options.model.cache_dir,
                                                                         .revision = options.model.revision,
                                                                         .shipped = shipped_model_folders()});
  const ModelMemory memory = memory_of(engine.info(), options.tokens);
  std::vector<Safetensors> files;
  std::optional<ListedTensors> tensors;
  if (options.tensors)
    tensors = tensors_of(open_checkpoint(folder, dtype_from_name(options.model.dtype)), files);
  if (json) return finish_with(output, model_json(engine.info(), memory, folder, tensors));
  output.write_text(model_text(engine.info(), memory, folder));
  return finish_with(output, tensors ? "\n" + tensors_table(*tensors) : "");
}

void declare(Arguments& arguments, Options& options) {
  // The model may stand alone: `headwater inspect sentiment`.
  arguments.add("folder  ", options.model.model, "The model, if not given by -m");
  add_model_options(arguments, options.model);
  arguments.under("Inspection")
      .add("--tokens N", options.tokens, "Number of tokens for the memory estimates (default 128)")
      .range(1, 1 << 24);
  arguments.add("--tensors", options.tensors, "List every tensor in the files");
  add_output_options(arguments, options.output, "text|json");
}

}  // namespace

extern const Command inspect{.name = "inspect",
                             .summary = "Describe a model: architecture, shapes, parameters, memory",
                             .group = "Look around",
                             .setup = set_up<declare, run>};

}  // namespace headwater
