// `headwater prune`: accuracy as attention heads are removed, and a model folder without them.
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "base/strings.h"
#include "cli/commands/command.h"
#include "cli/labelled_reader.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/repeat.h"
#include "drawing/charts.h"
#include "files/record_json.h"
#include "prose/heads_text.h"
#include "prose/plan_text.h"
#include "result/many_inputs.h"

namespace headwater {
namespace {

struct Options : RunOptions {
  LabelledOptions input{.corpus = {}, .limit = 0};
  std::string rankings = "attattr,attention", save;
  std::size_t rank_limit = 200;
  double rate = 0.2;
  std::vector<double> rates;  // empty: as many as `points`, or the usual ones
  int points = 0;
  PruningOptions pruning;  // without rates

  PruningOptions curve() const;
  std::size_t ranked(std::size_t inputs) const {
    return rank_limit == 0 ? inputs : std::min(inputs, rank_limit);
  }
};

// Shares from 0 to 1 in equal steps, where only their number is given.
PruningOptions Options::curve() const {
  PruningOptions made = pruning;
  if (!rates.empty() && points != 0)
    throw InputError("--points: expected no --rates, found both; leave out either");
  if (!rates.empty()) made.rates = rates;
  if (points == 0) return made;
  if (points < 2) throw InputError(fmt::format("--points: expected at least 2, found {}", points));
  made.rates.clear();
  for (int k = 0; k < points; ++k) made.rates.push_back(static_cast<double>(k) / (points - 1));
  return made;
}

std::string plan_text(const Engine& engine, std::span<const LabelledInput> inputs, const Options& options,
                      const std::string& format) {
  const std::vector<std::string> names = split(options.rankings, ',');
  const std::size_t max_memory = options.max_memory.bytes();
  std::vector<LabelledPlan> plans{engine.plan_pruning(inputs, names.size(), options.curve(), max_memory)};
  for (const std::string& ranking : names)
    plans.push_back(
        engine.plan_head_importance(inputs.first(options.ranked(inputs.size())), ranking, max_memory));
  return labelled_plan_text(joined_plans(plans), engine.info(), {"rankings", names}, format);
}

std::string shown(const PruningReport& report, const std::string& command, const std::string& format,
                  const TerminalFormat& terminal) {
  if (format == "svg") return pruning_svg(report, provenance_json(report.checks, report.record, command));
  return formatted(curves_document(report, command), format, terminal);
}

// The curves, with the checks of the rankings they follow and the time both took.
PruningReport measured_curves(const Engine& engine, std::span<const LabelledInput> inputs,
                              const Options& options, const LabelledRun& how,
                              const std::function<void(const HeadImportance&)>& ranked) {
  std::vector<HeadImportance> rankings;
  for (const std::string& ranking : split(options.rankings, ','))
    rankings.push_back(engine.head_importance(inputs.first(options.ranked(inputs.size())), ranking, how));
  ranked(rankings.front());
  PruningReport report = engine.pruning_curves(inputs, rankings, options.curve(), how);
  const std::vector<Check> before = checks_of(rankings);
  report.checks.insert(report.checks.begin(), before.begin(), before.end());
  report.record.seconds += record_of(rankings).seconds;
  return report;
}

int run(const Options& options, const Arguments& given) {
  const std::string format = options.output.chosen_format(charted_formats, document_endings);
  options.curve();  // throws before anything is read
  const std::vector<LabelledInput> inputs = options.input.read(options.output);
  Output output(options.output.path);
  const Engine engine = options.model.load(options.output);
  if (options.dry_run) return finish_with(output, plan_text(engine, inputs, options, format));
  ProgressLine progress(options.output.quiet);
  const LabelledRun how{.max_memory = options.max_memory.bytes(),
                        .progress = [&](const Progress& p) { progress.show(p); }};
  const PruningReport report =
      measured_curves(engine, inputs, options, how, [&](const HeadImportance& importance) {
        if (options.save.empty()) return;
        engine.save_pruned(importance, options.rate, options.save);
        progress.clear();
        options.output.say(fmt::format("written: {} without the {:.0f} % least important heads by {}",
                                       options.save, 100 * options.rate, importance.ranking));
      });
  progress.clear();
  const std::string command = repeat_command("prune", given, report.record, {"--save", "--rate"});
  return finish_with(output, shown(report, command, format, terminal_of(output, options.output.colour)),
                     options.output);
}

void declare(Arguments& arguments, Options& options) {
  add_labelled_options(arguments, options.input, "Number of inputs on which accuracy is measured");
  arguments.add("--rank-limit N", options.rank_limit,
                "Number of inputs that rank the heads; 0: all (default 200)");
  add_rankings_option(arguments, options.rankings);
  PruningOptions& pruning = options.pruning;
  arguments.add("--rates SHARES", options.rates, "Shares of heads to remove (default 0,0.1 … 1)");
  arguments.add("--points N", options.points, "N equal shares from 0 to 1 instead; fewer take less time");
  arguments.add("--random-orders N", pruning.random_orders,
                "Number of random orders in the baseline (default 5)");
  arguments.add("--seed N", pruning.seed, "Seed of the random baseline (default 1)");
  arguments.under("Output").add("--save FOLDER", options.save,
                                "Write a model folder without the least important heads");
  arguments.add("--rate SHARE", options.rate, "Share of heads that --save removes (default 0.2)");
  add_model_options(arguments, options.model);
  add_run_options(arguments, options, charted_formats);
}

}  // namespace

extern const Command prune{.name = "prune",
                           .summary = "Measure accuracy as attention heads are removed",
                           .group = "Use a model",
                           .setup = set_up<declare, run>};

}  // namespace headwater
