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
  static_assert(std::size(names) == as_size(Task::FeatureExtraction) + 1);
  return names[as_size(task)];
}

ModelInfo describe(const Checkpoint& checkpoint, std::string_view family,
                   const std::vector<std::string_view>& known, std::string_view bare, const SizeKeys& keys,
                   const SizeDefaults& defaults) {
  const Config& config = checkpoint.config;
  const auto size = [&](std::string_view key, Index otherwise) {
    return config.positive(std::string(key), otherwise);
  };
  ModelInfo info;
  info.family = family;
  info.model_type = config.text("model_type");
  const std::vector<std::string> architectures = config.texts("architectures");
  info.architecture = architectures.empty() ? std::string(bare) : architectures.front();
  info.task = head_name(info.architecture, known, config.where()).task;
  if (architectures.empty())
    info.remarks.push_back(fmt::format(
        "{} names no architectures, so it is opened as {}, without a head; to use its head, name one "
        "there, such as \"architectures\": [\"{}\"]",
        config.where(), bare, known.front()));
  info.plain_blocks = true;  // as most families are
  Stack& stack = info.last();
  stack = {.name = "encoder",
           .layers = size(keys.layers, defaults.layers),
           .heads = size(keys.heads, defaults.heads),
           .width = size(keys.width, defaults.width),
           .feed_forward = size(keys.feed_forward, defaults.feed_forward)};
  stack.groups = stack.heads;
  if (defaults.vocabulary > 0) {
    if (defaults.positions > 0) info.positions = size(keys.positions, defaults.positions);
    info.vocabulary = size("vocab_size", defaults.vocabulary);
  }
  if (has_labels(info.task)) info.labels = config.labels();
  if (info.task == Task::QuestionAnswering) info.labels = {"start", "end"};
  if (stack.width % stack.heads != 0 && !config.has(std::string(keys.head_width)))
    throw FormatError(fmt::format("{}: expected {} to be a multiple of {}, found {} and {}", config.where(),
                                  keys.width, keys.heads, stack.width, stack.heads));
  stack.head_width = stack.width / stack.heads;
  if (stack.layers > 4096)
    throw FormatError(
        fmt::format("{}: expected at most 4096 layers, found {}", config.where(), stack.layers));
  return info;
}

HeadLayout layout_of(const ModelInfo& info) {
  const Stack& stack = info.last();
  return {.heads = stack.heads,
          .groups = stack.groups,
          .scale = 1 / std::sqrt(stack.head_width),
          .causal = stack.causal};
}

std::string head_kind(const ModelInfo& info) {
  return head_name(info.architecture, {info.architecture}, "model").suffix;
}

void make_causal(Stack& stack) {
  stack.name = "decoder";
  stack.causal = true;
}

std::string name_of(const Axis& axis) {
  static constexpr const char* names[] = {"layer", "head", "query", "key", "token", "row", "column"};
  return axis.kind == Axis::Other ? axis.name : names[axis.kind];
}

}  // namespace headwater
