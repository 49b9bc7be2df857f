// `headwater inspect`: what a model is: architecture, shapes, parameters, memory, and its tensors.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <headwater/engine.h>

#include "checkpoint/checkpoint.h"
#include "cli/command.h"
#include "cli_support/arguments.h"
#include "cli_support/options.h"
#include "cli_support/output.h"
#include "cli_support/table.h"
#include "engine/places.h"
#include "report/schema.h"
#include "study/memory.h"

namespace headwater {
namespace {

struct Options {
  ModelOptions model;
  OutputOptions output;
  int tokens = 0;
  bool tensors = false;
};

// What one run needs beside the weights. A run that keeps nothing holds one layer's values at a time.
struct Memory {
  Index tokens = 0;
  std::size_t weights = 0, forward = 0, kept = 0;
};

Memory memory_of(const ModelInfo& info, int tokens) {
  constexpr int usual = 128;
  const bool image = info.image_size > 0;
  if (tokens > info.positions && info.positions > 0)
    throw InputError(fmt::format("--tokens: expected at most {}, found {}", info.positions, tokens));
  const Index length = image                ? image_tokens(info)
                       : tokens > 0         ? tokens
                       : info.positions > 0 ? std::min(info.positions, usual)
                                            : usual;
  const Index rows = image ? 1 : length;
  ModelInfo one_layer = info;
  one_layer.layers = std::min(info.layers, 1);
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

std::string heads_text(const ModelInfo& info) {
  std::string text = fmt::format("{} of width {}", info.heads, info.head_width);
  if (info.groups != info.heads) text += fmt::format(", {} key/value groups", info.groups);
  return text;
}

std::string as_text(const ModelInfo& info, const Memory& memory, const ModelFolder& folder) {
  Table table;
  const auto add = [&table](std::string name, std::string value) {
    table.rows.push_back({std::move(name), std::move(value)});
  };
  add("model", folder.id);
  add("folder", folder.path);
  if (!folder.commit.empty()) add("commit", folder.commit);
  add("architecture",
      fmt::format("{} (family {}, model_type {})", info.architecture, info.family, info.model_type));
  add("task", std::string(name_of(info.task)));
  if (!info.labels.empty()) add("labels", visible(fmt::format("{}", fmt::join(info.labels, ", "))));
  add("layers", fmt::format("{}, {} norm{}", info.layers, info.pre_norm ? "pre" : "post",
                            info.causal ? ", causal" : ""));
  add("heads", heads_text(info));
  add("width", fmt::format("{}, feed-forward {}", info.width, info.feed_forward));
  if (info.vocabulary > 0) add("vocabulary", with_thousands(static_cast<std::size_t>(info.vocabulary)));
  if (info.image_size > 0)
    add("image", fmt::format("{0}×{0} pixels in patches of {1}×{1}, {2} channels", info.image_size,
                             info.patch_size, info.channels));
  add("positions", std::to_string(info.positions));
  add("parameters", with_thousands(info.parameters));
  add("weights", fmt::format("{} as {}", human_bytes(memory.weights), name_of(info.dtype)));
  add("forward", fmt::format("{} more at {} tokens", human_bytes(memory.forward), memory.tokens));
  add("kept run",
      fmt::format("{} more at {} tokens, every value kept", human_bytes(memory.kept), memory.tokens));
  return table.str();
}

OrderedJson as_json(const ModelInfo& info, const Memory& memory, const ModelFolder& folder) {
  OrderedJson json{{"model", folder.id}, {"folder", folder.path}, {"commit", folder.commit}};
  json.update(json_of(info));
  json["memory"] = {{"tokens", memory.tokens},
                    {"weight_bytes", memory.weights},
                    {"forward_bytes", memory.forward},
                    {"kept_run_bytes", memory.kept}};
  return json;
}

int run(const Options& options) {
  const bool json = options.output.chosen_format("text|json", ".txt=text") == "json";
  Output output(options.output.path);
  const Engine engine = options.model.load();
  const ModelFolder folder = find_model(options.model.required_model(), {.cache_dir = options.model.cache_dir,
                                                                         .revision = options.model.revision,
                                                                         .shipped = shipped_model_folders()});
  const Memory memory = memory_of(engine.info(), options.tokens);
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
    OrderedJson object = as_json(engine.info(), memory, folder);
    if (options.tensors) object["tensors"] = list;
    output.write(dump(object, 2) + "\n");
  } else {
    output.write_text(as_text(engine.info(), memory, folder));
    if (options.tensors) output.write("\n" + table.str());
  }
  output.finish();
  return 0;
}

std::function<int()> setup(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  // The model may stand alone: `headwater inspect sentiment`.
  arguments.add("folder", options->model.model, "The model, if not given by -m").value(" ");
  add_model_options(arguments, options->model);
  arguments.add("--tokens", options->tokens, "Length for the memory estimates (default 128)")
      .value("N")
      .range(1, 1 << 24)
      .group("Inspection");
  arguments.add("--tensors", options->tensors, "List every tensor in the files").group("Inspection");
  add_output_options(arguments, options->output, "text|json");
  return [options] { return run(*options); };
}

}  // namespace

extern const Command inspect{.name = "inspect",
                             .summary = "What a model is: architecture, shapes, parameters, memory",
                             .group = "Look around",
                             .setup = setup};

}  // namespace headwater
