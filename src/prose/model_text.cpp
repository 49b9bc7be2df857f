#include "prose/model_text.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/strings.h"
#include "files/schema.h"
#include "models/family.h"
#include "prose/table.h"
#include "result/text_width.h"

namespace headwater {
namespace {

std::string attention_heads(const ModelInfo& info) {
  std::string text = fmt::format("{} of width {}", info.last().heads, info.last().head_width);
  if (info.last().groups != info.last().heads)
    text += fmt::format(", {} key/value groups", info.last().groups);
  return text;
}

}  // namespace

std::string model_text(const ModelInfo& info, const ModelMemory& memory, const ModelFolder& folder) {
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
  add("layers",
      fmt::format("{}, {} norm{}",
                  is_encoder_decoder(info) ? fmt::format("{} encoder and {} decoder",
                                                         info.stacks.front().layers, info.last().layers)
                                           : std::to_string(info.last().layers),
                  info.pre_norm ? "pre" : "post", info.last().causal ? ", causal" : ""));
  add("heads", attention_heads(info));
  add("width", fmt::format("{}, feed-forward {}", info.last().width, info.last().feed_forward));
  if (info.vocabulary > 0) add("vocabulary", with_thousands(static_cast<std::size_t>(info.vocabulary)));
  if (info.patch_size > 0)
    add("image", fmt::format("{0}×{0} pixels in patches of {1}×{1}, {2} channels", info.image_size,
                             info.patch_size, info.channels));
  add("positions", info.positions > 0 ? std::to_string(info.positions) : "no limit");
  add("parameters", with_thousands(info.parameters));
  add("weights", fmt::format("{} as {}", human_bytes(memory.weights), name_of(info.dtype)));
  add("forward", fmt::format("{} more at {} tokens", human_bytes(memory.forward), memory.tokens));
  add("kept run",
      fmt::format("{} more at {} tokens, every value kept", human_bytes(memory.kept), memory.tokens));
  return table.str();
}

std::string model_json(const ModelInfo& info, const ModelMemory& memory, const ModelFolder& folder,
                       const std::optional<ListedTensors>& tensors) {
  OrderedJson json{{"model", folder.id}, {"folder", folder.path}, {"commit", folder.commit}};
  json.update(json_of(info));
  json["memory"] = {{"tokens", memory.tokens},
                    {"weight_bytes", memory.weights},
                    {"forward_bytes", memory.forward},
                    {"kept_run_bytes", memory.kept}};
  if (tensors)
    json["tensors"] = list_of(*tensors, [](const auto& named) {
      const auto& [name, tensor] = named;
      return OrderedJson{
          {"name", name},
          {"type", name_of(tensor.type)},
          {"shape", std::vector<Index>(tensor.shape.dims().begin(), tensor.shape.dims().end())},
          {"bytes", tensor.bytes.size()}};
    });
  return dump(json, 2) + "\n";
}

std::string tensors_table(const ListedTensors& tensors) {
  Table table{.header = {"tensor", "type", "shape", "bytes"}, .rows = {}, .right = "lllr"};
  for (const auto& [name, tensor] : tensors)
    table.rows.push_back({visible(name), std::string(name_of(tensor.type)), tensor.shape.str(),
                          with_thousands(tensor.bytes.size())});
  return table.str();
}

std::string models_text(const std::vector<ModelFolder>& shipped, const std::vector<ModelFolder>& cached) {
  std::string text = "Families (config.json's model_type) and architectures\n";
  for (const Family* family : all_families()) {
    text += fmt::format("  {} ({})\n      {}\n", family->name, fmt::join(family->model_types, ", "),
                        family->summary);
    text += paragraph(fmt::format("{}", fmt::join(family->architectures, " ")),
                      {.first = 6, .rest = 6, .width = 100});
  }
  const auto add = [&text](const char* title, const char* none, const std::vector<ModelFolder>& models) {
    text += fmt::format("\n{}\n", title);
    Table table;
    for (const ModelFolder& model : models)
      table.rows.push_back({"  " + visible(model.id), visible(model.path)});
    text += models.empty() ? fmt::format("  {}\n", none) : table.str();
  };
  add("Shipped models", "none found", shipped);
  add("Models in the Hugging Face cache", "none found", cached);
  return text;
}

std::string models_json(const std::vector<ModelFolder>& shipped, const std::vector<ModelFolder>& cached) {
  const auto of_family = [](const Family* family) -> OrderedJson {
    return {{"name", family->name},
            {"summary", family->summary},
            {"model_types", family->model_types},
            {"architectures", family->architectures}};
  };
  const auto of_folder = [](const ModelFolder& model) -> OrderedJson {
    return {{"name", model.id}, {"path", model.path}, {"commit", model.commit}};
  };
  const OrderedJson all{{"families", list_of(all_families(), of_family)},
                        {"shipped", list_of(shipped, of_folder)},
                        {"cached", list_of(cached, of_folder)}};
  return dump(all, 2) + "\n";
}

}  // namespace headwater
