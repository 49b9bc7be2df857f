#include "evaluation/metrics/evaluation.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/error.h>

#include "base/nearest.h"

namespace headwater {

const Evaluation& find_evaluation(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Evaluation* evaluation : all_evaluations()) {
    if (evaluation->name == name) return *evaluation;
    names.push_back(evaluation->name);
  }
  std::stable_sort(names.begin(), names.end(), [&](std::string_view a, std::string_view b) {
    return edit_distance(a, name) < edit_distance(b, name);
  });
  names.resize(std::min<std::size_t>(names.size(), 3));
  throw InputError(
      fmt::format("metric: expected a known one, found '{}'; the nearest are {} (headwater evaluate --list "
                  "names all)",
                  name, fmt::join(names, ", ")));
}

namespace {

std::string_view arrow(Evaluation::Better better) {
  return better == Evaluation::Better::Higher ? " ↑" : better == Evaluation::Better::Lower ? " ↓" : "";
}

std::string_view said(Evaluation::Better better) {
  return better == Evaluation::Better::Higher  ? "higher is better"
         : better == Evaluation::Better::Lower ? "lower is better"
                                               : "describes";
}

}  // namespace

Evaluation::Better better_of(const Evaluation& evaluation, const MethodOptions& options) {
  if (const std::size_t equals = evaluation.turned_by.find('=');
      equals != std::string_view::npos &&
      options.text(evaluation.turned_by.substr(0, equals)) == evaluation.turned_by.substr(equals + 1))
    return evaluation.better == Evaluation::Better::Higher ? Evaluation::Better::Lower
                                                           : Evaluation::Better::Higher;
  return evaluation.better;
}

std::string_view text_of(Evaluation::Needs needs) {
  static constexpr std::string_view texts[] = {"a model with an output",
                                               "words that annotators marked as the reason",
                                               "cue words in minimal pairs",
                                               "pictures with a mask of the object",
                                               "pictures",
                                               "texts",
                                               "a classifier, and inputs with their labels"};
  return texts[static_cast<std::size_t>(needs)];
}

std::string evaluations_text() {
  std::string text;
  for (const Evaluation* evaluation : all_evaluations()) {
    text += fmt::format("{}{} ({})\n  {}\n  {}\n  Needs: {}\n  Paper: {}\n", text.empty() ? "" : "\n",
                        evaluation->name, said(evaluation->better), evaluation->summary, evaluation->formula,
                        text_of(evaluation->needs), evaluation->paper);
    for (const MethodOption& option : evaluation->options)
      text +=
          fmt::format("  {}={} (default {})  {}\n", option.name, option.type, option.otherwise, option.help);
  }
  return text;
}

std::string evaluations_markdown() {
  std::string page;
  for (const Evaluation* evaluation : all_evaluations()) {
    page +=
        fmt::format("{}### {}{}\n\n{}\n\n`{}`\n\n- **Needs.** {}.\n- **Paper.** {}\n",
                    page.empty() ? "" : "\n", evaluation->name, arrow(evaluation->better),
                    evaluation->summary, evaluation->formula, text_of(evaluation->needs), evaluation->paper);
    if (evaluation->options.empty()) continue;
    page += "\n| option | values | default | |\n|---|---|---|---|\n";
    for (const MethodOption& option : evaluation->options) {
      std::string values(option.type);
      for (std::size_t at = 0; (at = values.find('|', at)) != std::string::npos; at += 2)
        values.insert(at, 1, '\\');
      page += fmt::format("| `{}` | {} | {} | {} |\n", option.name, values, option.otherwise, option.help);
    }
  }
  return page;
}

MethodSpec reference_of(const MethodOptions& options) {
  const std::string& with = options.text("with");
  MethodSpec spec{.name = with};
  if (with == "occlusion") spec.options["quantity"] = "probability";
  return spec;
}

std::vector<double> layer_points(const ModelInfo& info, const MethodOptions&) {
  std::vector<double> x;
  for (int layer = 0; layer < info.last().layers; ++layer) x.push_back(layer);
  return x;
}

EvaluationValue no_value() {
  return {.value = std::numeric_limits<double>::quiet_NaN()};
}

}  // namespace headwater
