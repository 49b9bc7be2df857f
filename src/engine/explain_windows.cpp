// A text longer than the model's limit, explained in windows (text_windows.h), all of them for the label of
// the whole text. Its probabilities and logits are means over the windows,
//
//   p_c = 1/W Σ_w p_c(w)
//
// and every token has the scores of its own window, so the scores of the whole text add up to no single
// logit.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <headwater/engine.h>

#include "engine/impl.h"
#include "result/rows.h"
#include "result/text_windows.h"
#include "study/checks.h"

namespace headwater {

namespace {

// The mean over the windows, the likeliest label first.
Outcome mean_outcome(std::span<const Report> reports) {
  std::map<int, Score> sums;
  const auto count = static_cast<double>(reports.size());
  for (const Report& report : reports)
    for (const Score& score : report.prediction.outcomes.front().top) {
      Score& sum = sums.try_emplace(score.index, Score{score.label, score.index, 0, 0}).first->second;
      sum.probability += score.probability / count;
      sum.logit += score.logit / count;
    }
  Outcome mean;
  for (const auto& [index, score] : sums) mean.top.push_back(score);
  std::stable_sort(mean.top.begin(), mean.top.end(),
                   [](const Score& a, const Score& b) { return a.probability > b.probability; });
  return mean;
}

// Of the checks of one name, the worst.
std::vector<Check> worst_checks(std::span<const Report> reports, std::size_t method) {
  std::vector<Check> worst;
  for (const Report& report : reports)
    for (const Check& check : report.attributions[method].checks) keep_worst(worst, check);
  return worst;
}

Attribution joined_result(std::span<const Report> reports, const ReadTokens& read, std::size_t method,
                          const std::string& note) {
  const Attribution& first = reports.front().attributions[method];
  const auto& rows = read.rows[method];
  const bool layered = rows.size() > 1;
  std::vector<double> values;
  for (const std::vector<double>& row : rows) values.insert(values.end(), row.begin(), row.end());
  const auto tokens = static_cast<Index>(read.tokens.size());
  Attribution made{.method = first.method,
                   .aggregate = first.aggregate,
                   .options = first.options,
                   .traits = {.of_target = first.traits.of_target, .is_signed = first.traits.is_signed}};
  const Shape shape = layered ? Shape{static_cast<Index>(rows.size()), tokens} : Shape{tokens};
  made.scores() = Tensor::of(shape, values, first.scores().dtype());
  made.axes() = layered ? Axes{{Axis::Layer}, {Axis::Units}} : Axes{{Axis::Units}};
  made.checks = worst_checks(reports, method);
  made.notes = {note};
  if (std::none_of(reports.begin(), reports.end(),
                   [&](const Report& report) { return report.attributions[method].measured.empty(); }))
    for (const ReadTokens::Origin& from : read.origins)
      made.measured.push_back(reports[from.window].attributions[method].measured[from.token]);
  for (const Report& report : reports) made.seconds += report.attributions[method].seconds;
  return made;
}

}  // namespace

Report Engine::Impl::explain_windows(const Request& request, std::span<const TextWindow> windows) const {
  std::vector<Report> reports;
  const auto explain_each = [&](Request one) {
    reports.clear();
    for (const TextWindow& window : windows) {
      one.input.text = part_of(request.input.text, window.text);
      reports.push_back(explain(loaded, one, nullptr));
    }
  };
  Request one = request;
  one.partial = one.layers = nullptr;
  if (one.target.label.empty()) {
    one.methods.clear();
    explain_each(one);
    one.target.label = std::to_string(label_of_windows(reports));
    one.methods = request.methods;
  }
  explain_each(one);
  const ReadTokens read = joined_windows(windows, reports);
  Report report = reports.front();
  report.text = request.input.text;
  report.prediction.outcomes = {mean_outcome(reports)};
  report.prediction.units = read.tokens;
  report.prediction.sequences.front().count = static_cast<Index>(read.tokens.size());
  std::fill(report.prediction.logits.begin(), report.prediction.logits.end(), 0.0);
  report.target.logit = report.target.probability = 0;
  const auto count = static_cast<double>(reports.size());
  for (const Report& part : reports) {
    report.target.logit += part.target.logit / count;
    report.target.probability += part.target.probability / count;
    for (std::size_t i = 0; i < report.prediction.logits.size(); ++i)
      report.prediction.logits[i] += part.prediction.logits[i] / count;
  }
  const std::string note = fmt::format(
      "Read in {} windows that share at least {} tokens, each explained for {}. Probabilities and logits are "
      "means over the windows; a token has the score of the window in whose middle it lies, and special "
      "tokens have none.",
      reports.size(), *request.overlap, report.target.label);
  for (std::size_t m = 0; m < report.attributions.size(); ++m)
    report.attributions[m] = joined_result(reports, read, m, note);
  const Report& window = reports.front();
  report.answer_token =
      window.prediction.units[static_cast<std::size_t>(row_to_show(window))].text;  // a special token,
  report.read.clear();                                                              // which the text has not
  return report;
}

}  // namespace headwater
