#include <headwater/records.h>

#include "evaluation/metrics/evaluation.h"
#include "methods/method.h"
#include "models/family.h"
#include "prose/method_text.h"

namespace headwater {
namespace {

std::vector<std::string> strings_of(const std::vector<std::string_view>& views) {
  return {views.begin(), views.end()};
}

std::string text_of(EvaluationMetric::Better better) {
  using Better = EvaluationMetric::Better;
  return better == Better::Higher ? "higher" : better == Better::Lower ? "lower" : "neither";
}

std::vector<OptionRecord> option_records(std::span<const MethodOption> options) {
  std::vector<OptionRecord> records;
  for (const MethodOption& option : options)
    records.push_back({.name = std::string(option.name),
                       .type = std::string(option.type),
                       .otherwise = std::string(option.otherwise),
                       .help = std::string(option.help),
                       .least = option.least,
                       .most = option.most});
  return records;
}

}  // namespace

std::vector<MethodRecord> method_records() {
  std::vector<MethodRecord> records;
  for (const Method* method : all_methods())
    records.push_back({.name = std::string(method->name),
                       .summary = std::string(method->summary),
                       .title = title_of(*method),
                       .question = std::string(text_of(method->question)),
                       .formula = std::string(method->formula),
                       .paper = std::string(method->paper),
                       .cost = std::string(method->cost),
                       .limits = std::string(method->limits),
                       .options = option_records(method->options),
                       .claims = claims_of(*method),
                       .aliases = strings_of(method->aliases),
                       .needs_target = method->needs_target,
                       .role = std::string(text_of(method->role)),
                       .aggregates = method->mixing != Mixing::None});
  return records;
}

std::vector<FamilyRecord> family_records() {
  std::vector<FamilyRecord> records;
  for (const Family* family : all_families())
    records.push_back({.name = std::string(family->name),
                       .summary = std::string(family->summary),
                       .model_types = strings_of(family->model_types),
                       .architectures = strings_of(family->architectures)});
  return records;
}

std::vector<EvaluationRecord> evaluation_records() {
  std::vector<EvaluationRecord> records;
  for (const Evaluation* evaluation : all_evaluations())
    records.push_back({.name = std::string(evaluation->name),
                       .summary = std::string(evaluation->summary),
                       .formula = std::string(evaluation->formula),
                       .paper = std::string(evaluation->paper),
                       .better = text_of(evaluation->better),
                       .needs = std::string(text_of(evaluation->needs)),
                       .curve_over = std::string(evaluation->curve_over),
                       .options = option_records(evaluation->options)});
  return records;
}

}  // namespace headwater
