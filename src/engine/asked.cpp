#include "engine/asked.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "study/terms.h"
#include "study/token_target.h"

namespace headwater {

namespace {

std::string label_name(const ModelInfo& info, const std::string& label, int index) {
  const auto first = std::find(info.labels.begin(), info.labels.end(), label);
  const bool its_own = first - info.labels.begin() == index && !label.empty();
  return its_own ? label : std::to_string(index);
}

std::string name_of_one(const ModelInfo& info, const std::string& label, int index,
                        const std::vector<int>& tokens, const std::optional<TokenRange>& span) {
  if (span) return fmt::format("{}-{}", span->first, span->last);
  if (!tokens.empty()) return written_ids(tokens);
  if (is_vocabulary(info.task)) return written_ids(std::vector<int>{index});
  return info.task == Task::QuestionAnswering ? label : label_name(info, label, index);
}

}  // namespace

TargetSpec named_target(const Target& target, TargetSpec spec, const ModelInfo& info) {
  if (!has_target(info, target)) return spec;
  spec.label = name_of_one(info, target.label, target.index, target.tokens, target.span);
  if (target.contrast)
    spec.contrast = name_of_one(info, target.contrast_label, *target.contrast, target.contrast_tokens,
                                target.contrast_span);
  return spec;
}

bool explains_generated(const Request& request) {
  const TargetSpec& target = request.target;
  return request.input.generate > 0 && target.label.empty() && target.contrast.empty() && !target.position;
}

Request asked_of(Request request, const Target& target, const ModelInfo& info) {
  // Every token that the model wrote is a target, and the same tokens will be written again.
  if (!explains_generated(request)) request.target = named_target(target, std::move(request.target), info);
  request.progress = nullptr;
  request.partial = request.layers = nullptr;
  return request;
}

}  // namespace headwater
