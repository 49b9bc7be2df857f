#include "report/plan_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/strings.h"
#include "report/schema.h"

namespace headwater {

std::string run_plan_text(const RunPlan& plan, const ModelInfo& info, const std::string& format) {
  const std::size_t weights = info.parameters * bytes_of(info.dtype);
  if (format.starts_with("json")) {
    const OrderedJson json{{"architecture", info.architecture},
                           {"dtype", name_of(info.dtype)},
                           {"layers", info.layers},
                           {"heads", info.heads},
                           {"width", info.width},
                           {"tokens", plan.tokens},
                           {"methods", plan.methods},
                           {"weight_bytes", weights},
                           {"planned_bytes", plan.bytes}};
    return dump(json, format == "json" ? 2 : -1) + "\n";
  }
  return fmt::format(
      "model     {} ({} layers, {} heads, width {})\n"
      "input     {} tokens\n"
      "methods   {}\n"
      "weights   {} ({})\n"
      "run       up to {} more\n"
      "nothing was run\n",
      info.architecture, info.layers, info.heads, info.width, plan.tokens,
      plan.methods.empty() ? "none: a prediction" : fmt::format("{}", fmt::join(plan.methods, ", ")),
      human_bytes(weights), name_of(info.dtype), human_bytes(plan.bytes));
}

LabelledPlan joined(std::span<const LabelledPlan> plans) {
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
  const std::size_t weights = info.parameters * bytes_of(info.dtype);
  if (format == "json")
    return dump({{"architecture", info.architecture},
                 {"dtype", name_of(info.dtype)},
                 {"layers", info.layers},
                 {"heads", info.heads},
                 {"width", info.width},
                 {"inputs", plan.inputs},
                 {"tokens", plan.tokens},
                 {"longest", plan.longest},
                 {work.name, work.parts},
                 {"studies", plan.studies},
                 {"masks", plan.masks},
                 {"weight_bytes", weights},
                 {"planned_bytes", plan.bytes}},
                2) +
           "\n";
  return fmt::format(
      "model     {} ({} layers, {} heads, width {})\n"
      "inputs    {} of {} tokens, the longest {}\n"
      "{:<8}  {}\n"
      "work      {} studies of an input, {} runs over all inputs\n"
      "weights   {} ({})\n"
      "run       up to {} more\n"
      "nothing was run\n",
      info.architecture, info.layers, info.heads, info.width, plan.inputs, plan.tokens, plan.longest,
      work.name, fmt::join(work.parts, ", "), plan.studies, plan.masks, human_bytes(weights),
      name_of(info.dtype), human_bytes(plan.bytes));
}

}  // namespace headwater
