#include "cli/dry_run.h"

#include "report/plan_text.h"

namespace headwater {

std::string dry_run(const Engine& engine, const Request& request, const std::string& format) {
  const ModelInfo& info = engine.info();
  RunPlan plan{.tokens = request.input.image.empty() ? engine.tokenize(request.input).size()
                                                     : static_cast<std::size_t>(info.positions),
               .bytes = engine.planned_bytes(request),
               .methods = {}};
  for (const MethodSpec& method : request.methods) plan.methods.push_back(method.name);
  return run_plan_text(plan, info, format);
}

}  // namespace headwater
