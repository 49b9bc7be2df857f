#include "blocks/describe.h"

#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <headwater/error.h>

namespace headwater {
namespace {

bool has_labels(Task task) {
  return task == Task::TextClassification || task == Task::TokenClassification ||
         task == Task::ImageClassification;
}

}  // namespace

std::string_view name_of(Task task) {
  // In the order of Task.
  static constexpr std::string_view names[] = {
      "text-classification", "token-classification", "question-answering",   "fill-mask",
      "text-generation",     "text2text-generation", "image-classification", "feature-extraction"};
  static_assert(std::size(names) == static_cast<std::size_t>(Task::FeatureExtraction) + 1);
  return names[static_cast<std::size_t>(task)];
}

ModelInfo describe(const Checkpoint& checkpoint, std::string_view family,
                   const std::vector<std::string_view>& known, std::string_view bare, const SizeKeys& keys,
                   const SizeDefaults& defaults) {
  const Config& config = checkpoint.config;
  const auto size = [&](std::string_view key, Index otherwise) {
    return static_cast<int>(config.positive(std::string(key), otherwise));
  };
  ModelInfo info;
  info.family = family;
  info.model_type = config.text("model_type");
  const std::vector<std::string> architectures = config.texts("architectures");
  info.architecture = architectures.empty() ? std::string(bare) : architectures.front();
  info.task = head_name(info.architecture, known, config.where()).task;
  info.plain_blocks = true;  // as most families are
  info.layers = size(keys.layers, defaults.layers);
  info.heads = size(keys.heads, defaults.heads);
  info.groups = info.heads;
  info.width = size(keys.width, defaults.width);
  info.feed_forward = size(keys.feed_forward, defaults.feed_forward);
  if (defaults.vocabulary > 0) {
    if (defaults.positions > 0) info.positions = size(keys.positions, defaults.positions);
    info.vocabulary = size("vocab_size", defaults.vocabulary);
  }
  if (has_labels(info.task)) info.labels = config.labels();
  if (info.task == Task::QuestionAnswering) info.labels = {"start", "end"};
  if (info.width % info.heads != 0 && !config.has(std::string(keys.head_width)))
    throw FormatError(fmt::format("{}: expected {} to be a multiple of {}, found {} and {}", config.where(),
                                  keys.width, keys.heads, info.width, info.heads));
  info.head_width = info.width / info.heads;
  if (info.layers > 4096)
    throw FormatError(fmt::format("{}: expected at most 4096 layers, found {}", config.where(), info.layers));
  return info;
}

HeadLayout layout_of(const ModelInfo& info) {
  return {.heads = info.heads,
          .groups = info.groups,
          .scale = 1 / std::sqrt(info.head_width),
          .causal = info.causal};
}

std::string head_kind(const ModelInfo& info) {
  return head_name(info.architecture, {info.architecture}, "model").suffix;
}

std::vector<Stack> stacks_of(const ModelInfo& info) {
  if (!info.stacks.empty()) return info.stacks;
  const bool patches = info.patch_size > 0;
  return {{.name = patches       ? "vision"
                   : info.causal ? "decoder"
                                 : "encoder",
           .layers = info.layers,
           .heads = info.heads,
           .groups = info.groups,
           .head_width = info.head_width,
           .width = info.width,
           .feed_forward = info.feed_forward,
           .causal = info.causal,
           .modality = patches ? Modality::Image : Modality::Text}};
}

std::string name_of(const Axis& axis) {
  static constexpr const char* names[] = {"layer", "head", "query", "key", "token", "row", "column"};
  return axis.kind == Axis::Other ? axis.name : names[axis.kind];
}

}  // namespace headwater
