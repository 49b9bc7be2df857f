#include "evaluations/evaluation.h"

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

bool higher_is_better(const Evaluation& evaluation, const MethodOptions& options) {
  bool higher = evaluation.better == Evaluation::Better::Higher;
  if (const std::size_t equals = evaluation.turned_by.find('=');
      equals != std::string_view::npos &&
      options.text(evaluation.turned_by.substr(0, equals)) == evaluation.turned_by.substr(equals + 1))
    higher = !higher;
  return higher;
}

std::string_view text_of(Evaluation::Needs needs) {
  static constexpr std::string_view texts[] = {
      "a model with an output", "words that people marked as the reason", "cue words in minimal pairs",
      "pictures with a mask of the object", "pictures"};
  return texts[static_cast<std::size_t>(needs)];
}

std::string evaluations_text() {
  std::string text;
  for (const Evaluation* evaluation : all_evaluations()) {
    const bool higher = evaluation->better == Evaluation::Better::Higher;
    text +=
        fmt::format("{}{} ({} is better)\n  {}\n  {}\n  Needs: {}\n  Paper: {}\n", text.empty() ? "" : "\n",
                    evaluation->name, higher ? "higher" : "lower", evaluation->summary, evaluation->formula,
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
    page += fmt::format("{}### {} {}\n\n{}\n\n`{}`\n\n- **Needs.** {}.\n- **Paper.** {}\n",
                        page.empty() ? "" : "\n", evaluation->name,
                        evaluation->better == Evaluation::Better::Higher ? "↑" : "↓", evaluation->summary,
                        evaluation->formula, text_of(evaluation->needs), evaluation->paper);
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

EvaluationValue no_value() {
  return {.value = std::numeric_limits<double>::quiet_NaN()};
}

}  // namespace headwater
