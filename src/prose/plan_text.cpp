#include "prose/plan_text.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/strings.h"
#include "files/schema.h"
#include "prose/document.h"

namespace headwater {
namespace {

// The plan's own lines or numbers, between what every plan contains: the model and the memory.
struct PlanParts {
  std::vector<std::pair<std::string, std::string>> lines;
  OrderedJson json;
};

// Of the whole process at its largest: the program with its libraries and the tokenizer, the weights, and
// what loading them takes on top or, if that is more, the run. A matrix is packed while its numbers as they
// were read are still there; an embedding table is packed only where a language model's head is tied to it.
std::size_t peak_bytes(const ModelInfo& info, std::size_t weights, std::size_t run) {
  constexpr std::size_t program = std::size_t{15} << 20, token = 200;  // of a vocabulary, with its text
  const std::size_t matrix =
      static_cast<std::size_t>(info.last().width) * static_cast<std::size_t>(info.last().feed_forward);
  const std::size_t loading =
      (is_vocabulary(info.task) ? info.largest_tensor : 2 * matrix) * bytes_of(info.dtype);
  return program + static_cast<std::size_t>(info.vocabulary) * token + weights + std::max(loading, run);
}

std::string plan_of(const PlanParts& parts, const ModelInfo& info, std::size_t bytes,
                    const std::string& format) {
  const std::size_t weights = info.parameters * bytes_of(info.dtype), peak = peak_bytes(info, weights, bytes);
  OrderedJson json{{"architecture", info.architecture}};
  json.update(parts.json);
  json.update({{"weight_bytes", weights}, {"planned_bytes", bytes}, {"peak_bytes", peak}});
  if (format == "jsonl") return dump(json, -1) + "\n";
  DocumentTable table;
  const auto add = [&](const std::string& name, const std::string& value) {
    table.rows.push_back({fmt::format("{:<8}", name), value});
  };
  for (const auto& [name, value] : parts.lines) add(name, value);
  add("weights", fmt::format("{} ({})", human_bytes(weights), name_of(info.dtype)));
  add("run", fmt::format("up to {} more", human_bytes(bytes)));
  add("process", fmt::format("{} at the most, loading included", human_bytes(peak)));
  Document document{.title = "Plan of a run of " + info.architecture};
  document.parts = {std::move(table), DocumentLine{"nothing was run"}};
  document.json = [&] { return dump(json, 2) + "\n"; };
  return formatted(document, format, {});
}

// The line and the numbers of the model in plans of runs.
PlanParts plan_parts(const ModelInfo& info) {
  return {.lines = {{"model", fmt::format("{} ({} layers, {} heads, width {})", info.architecture,
                                          info.last().layers, info.last().heads, info.last().width)}},
          .json = {{"dtype", name_of(info.dtype)},
                   {"layers", info.last().layers},
                   {"heads", info.last().heads},
                   {"width", info.last().width}}};
}

}  // namespace

std::string run_plan_text(const RunPlan& plan, const ModelInfo& info, const std::string& format) {
  PlanParts parts = plan_parts(info);
  parts.lines.emplace_back("input", fmt::format("{} tokens", plan.tokens));
  parts.lines.emplace_back("methods", plan.methods.empty()
                                          ? "none: a prediction"
                                          : fmt::format("{}", fmt::join(plan.methods, ", ")));
  parts.json.update({{"tokens", plan.tokens}, {"methods", plan.methods}});
  return plan_of(parts, info, plan.bytes, format);
}

LabelledPlan joined_plans(std::span<const LabelledPlan> plans) {
  LabelledPlan all = plans.front();
  for (const LabelledPlan& plan : plans.subspan(1)) {
    all.studies += plan.studies;
    all.masks += plan.masks;
    all.bytes = std::max(all.bytes, plan.bytes);
  }
  return all;
}

std::string labelled_plan_text(const LabelledPlan& plan, const ModelInfo& info, const PlannedWork& work,
                               const std::string& format) {
  PlanParts parts = plan_parts(info);
  parts.lines.emplace_back(
      "inputs", fmt::format("{} of {} tokens, the longest {}", plan.inputs, plan.tokens, plan.longest));
  parts.lines.emplace_back(work.name, fmt::format("{}", fmt::join(work.parts, ", ")));
  parts.lines.emplace_back(
      "work", fmt::format("{} studies of an input, {} runs over all inputs", plan.studies, plan.masks));
  parts.json.update({{"inputs", plan.inputs},
                     {"tokens", plan.tokens},
                     {"longest", plan.longest},
                     {work.name, work.parts},
                     {"studies", plan.studies},
                     {"masks", plan.masks}});
  return plan_of(parts, info, plan.bytes, format);
}

std::string evaluate_plan_text(const EvaluatePlan& plan, const ModelInfo& info, const PlannedWork& work,
                               const std::string& format) {
  PlanParts parts = plan_parts(info);
  parts.lines.emplace_back(
      "examples", fmt::format("{} of {} tokens, the longest {}", plan.examples, plan.tokens, plan.longest));
  parts.lines.emplace_back(work.name, fmt::format("{}", fmt::join(work.parts, ", ")));
  if (plan.explanations > 0)
    parts.lines.emplace_back("work", fmt::format("{} explanations, at most {} changed inputs",
                                                 plan.explanations, plan.changed_inputs));
  parts.json.update({{"examples", plan.examples},
                     {"tokens", plan.tokens},
                     {"longest", plan.longest},
                     {work.name, work.parts},
                     {"explanations", plan.explanations},
                     {"changed_inputs", plan.changed_inputs}});
  return plan_of(parts, info, plan.bytes, format);
}

std::string identify_plan_text(const IdentifyPlan& plan, const ModelInfo& info, const std::string& format) {
  const std::vector split{plan.train_texts, plan.validation_texts, plan.test_texts};
  return plan_of({.lines = {{"model", fmt::format("{} ({} layers, width {})", info.architecture,
                                                  info.last().layers, info.last().width)},
                            {"texts", fmt::format("{} of {} tokens, split {}", plan.texts, plan.tokens,
                                                  fmt::join(split, "/"))},
                            {"cells", std::to_string(plan.cells)},
                            {"passes", fmt::format("{} over the texts", plan.passes)}},
                  .json = {{"texts", plan.texts},
                           {"tokens", plan.tokens},
                           {"split", split},
                           {"cells", plan.cells},
                           {"passes", plan.passes}}},
                 info, plan.bytes, format);
}

}  // namespace headwater
