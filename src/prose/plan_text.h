// Plans: what a run would need, without running it. `format` is one of a document (document.h), or
// jsonl; in others it is text.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <headwater/evaluate.h>
#include <headwater/heads.h>
#include <headwater/identify.h>
#include <headwater/model_info.h>

namespace headwater {

struct RunPlan {
  std::size_t tokens = 0, bytes = 0;
  std::vector<std::string> methods;
};
std::string run_plan_text(const RunPlan& plan, const ModelInfo& info, const std::string& format);

// The joint plan of work that is done one after the other.
LabelledPlan joined_plans(std::span<const LabelledPlan> plans);
// The planned work, such as "rankings attattr".
struct PlannedWork {
  std::string name;
  std::vector<std::string> parts;
};
std::string labelled_plan_text(const LabelledPlan& plan, const ModelInfo& info, const PlannedWork& work,
                               const std::string& format);

// `work` lists the metrics.
std::string evaluate_plan_text(const EvaluatePlan& plan, const ModelInfo& info, const PlannedWork& work,
                               const std::string& format);

std::string identify_plan_text(const IdentifyPlan& plan, const ModelInfo& info, const std::string& format);

}  // namespace headwater
