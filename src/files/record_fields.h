// The fields of the records of methods, families and metrics.
#pragma once

#include <headwater/records.h>

#include "base/fields.h"

namespace headwater {

void describe(auto& v, Of<OptionRecord> auto& option) {
  v("name", option.name);
  v("type", option.type);
  v("default", option.otherwise);
  v("help", option.help);
  v.where(std::isfinite(option.least), "least", option.least);
  v.where(std::isfinite(option.most), "most", option.most);
}

void describe(auto& v, Of<MethodRecord> auto& method) {
  v("name", method.name);
  v("title", method.title, {.help = "Its name in a sentence."});
  v("question", method.question);
  v("summary", method.summary);
  v("formula", method.formula);
  v("paper", method.paper);
  v("cost", method.cost);
  v("limits", method.limits);
  v("options", method.options);
  v("claims", method.claims);
  v("aliases", method.aliases);
  v("needs_target", method.needs_target);
  v("role", method.role, {.help = "What it is taken for where nobody names a method."});
  v("aggregates", method.aggregates);
}

void describe(auto& v, Of<FamilyRecord> auto& family) {
  v("name", family.name);
  v("summary", family.summary);
  v("model_types", family.model_types);
  v("architectures", family.architectures);
}

void describe(auto& v, Of<EvaluationRecord> auto& metric) {
  v("name", metric.name);
  v("summary", metric.summary);
  v("formula", metric.formula);
  v("paper", metric.paper);
  v("better", metric.better);
  v("needs", metric.needs);
  v("curve_over", metric.curve_over);
  v("options", metric.options);
}

}  // namespace headwater
