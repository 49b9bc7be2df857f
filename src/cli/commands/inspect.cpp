// `headwater inspect`: what a model is: architecture, shapes, parameters, memory, and its tensors.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <headwater/engine.h>

#include "base/strings.h"
#include "checkpoint/checkpoint.h"
#include "cli/commands/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "engine/places.h"
#include "report/model_text.h"
#include "report/schema.h"
#include "report/table.h"
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

std::vector<std::pair<std::string, StoredTensor>> tensors_of(const Checkpoint& checkpoint,
                                                             std::vector<Safetensors>& files) {
  std::vector<std::pair<std::string, StoredTensor>> tensors;
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
  const Engine engine = options.model.load();
  const ModelFolder folder = find_model(options.model.required_model(), {.cache_dir = options.model.cache_dir,
                                                                         .revision = options.model.revision,
                                                                         .shipped = shipped_model_folders()});
  const ModelMemory memory = memory_of(engine.info(), options.tokens);
  Table table{.header = {"tensor", "type", "shape", "bytes"}, .rows = {}, .right = "lllr"};
  OrderedJson list = OrderedJson::array();
  if (options.tensors) {
    std::vector<Safetensors> files;
    for (const auto& [name, tensor] :
         tensors_of(open_checkpoint(folder, dtype_from_name(options.model.dtype)), files)) {
      table.rows.push_back({visible(name), std::string(name_of(tensor.type)), tensor.shape.str(),
                            with_thousands(tensor.bytes.size())});
      list.push_back({{"name", name},
                      {"type", name_of(tensor.type)},
                      {"shape", std::vector<Index>(tensor.shape.dims().begin(), tensor.shape.dims().end())},
                      {"bytes", tensor.bytes.size()}});
    }
  }
  if (json) {
    OrderedJson object = model_json(engine.info(), memory, folder);
    if (options.tensors) object["tensors"] = list;
    return finish_with(output, dump(object, 2) + "\n");
  }
  output.write_text(model_text(engine.info(), memory, folder));
  return finish_with(output, options.tensors ? "\n" + table.str() : "");
}

void declare(Arguments& arguments, Options& options) {
  // The model may stand alone: `headwater inspect sentiment`.
  arguments.add("folder  ", options.model.model, "The model, if not given by -m");
  add_model_options(arguments, options.model);
  arguments.under("Inspection")
      .add("--tokens N", options.tokens, "Length for the memory estimates (default 128)")
      .range(1, 1 << 24);
  arguments.add("--tensors", options.tensors, "List every tensor in the files");
  add_output_options(arguments, options.output, "text|json");
}

}  // namespace

extern const Command inspect{.name = "inspect",
                             .summary = "What a model is: architecture, shapes, parameters, memory",
                             .group = "Look around",
                             .setup = set_up<declare, run>};

}  // namespace headwater
