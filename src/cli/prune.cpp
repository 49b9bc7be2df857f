// `headwater prune`: accuracy as attention heads are removed, and a model folder without them.
#include <memory>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli_support/arguments.h"
#include "cli_support/heads_text.h"
#include "cli_support/labelled_reader.h"
#include "cli_support/options.h"
#include "cli_support/output.h"
#include "cli_support/progress.h"

namespace headwater {
namespace {

constexpr const char* formats = "text|json|csv";

struct Options {
  ModelOptions model;
  OutputOptions output;
  LabelledOptions input{.corpus = {}, .limit = 0};
  std::string rankings = "attattr,attention", save;
  std::size_t rank_limit = 200;
  double rate = 0.2;
  std::vector<double> rates;  // empty: as many as `points`, or the usual ones
  int points = 0;
  PruningOptions pruning;  // without rates

  PruningOptions curve() const;
};

// Shares from 0 to 1 in equal steps, where only their number is given.
PruningOptions Options::curve() const {
  PruningOptions made = pruning;
  if (!rates.empty() && points != 0) throw InputError("--points: expected no --rates beside it, found both");
  if (!rates.empty()) made.rates = rates;
  if (points == 0) return made;
  if (points < 2) throw InputError(fmt::format("--points: expected at least 2, found {}", points));
  made.rates.clear();
  for (int k = 0; k < points; ++k) made.rates.push_back(static_cast<double>(k) / (points - 1));
  return made;
}

int run(const Options& options) {
  const std::string format = options.output.chosen_format(formats, ".txt=text");
  const PruningOptions curve = options.curve();
  const std::vector<LabelledInput> inputs = options.input.read(options.output);
  Output output(options.output.path);
  const Engine engine = options.model.load();
  ProgressLine progress(options.output.quiet);
  const auto show = [&](const Progress& p) { progress.show(p); };
  const std::size_t ranked =
      options.rank_limit == 0 ? inputs.size() : std::min(inputs.size(), options.rank_limit);
  std::vector<HeadImportance> rankings;
  for (const std::string& ranking : split(options.rankings, ','))
    rankings.push_back(engine.head_importance(std::span(inputs).first(ranked), ranking, show));
  if (!options.save.empty()) {
    engine.save_pruned(rankings.front(), options.rate, options.save);
    progress.clear();
    options.output.say(fmt::format("written: {} without the {:.0f} % least important heads by {}",
                                   options.save, 100 * options.rate, rankings.front().ranking));
  }
  const std::vector<PruningCurve> curves = engine.pruning_curves(inputs, rankings, curve, show);
  progress.clear();
  output.write(format == "json"  ? curves_json(curves)
               : format == "csv" ? curves_csv(curves)
                                 : curves_text(curves));
  output.finish();
  return 0;
}

std::function<int()> setup(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  add_labelled_options(arguments, options->input, "Inputs the accuracy is measured on");
  arguments.add("--rank-limit", options->rank_limit, "Inputs the heads are ranked by; 0: all (default 200)")
      .value("N")
      .group("Input");
  add_rankings_option(arguments, options->rankings);
  arguments.add("--rates", options->rates, "Shares of heads removed (default 0 0.1 … 1)")
      .value("SHARES")
      .group("Methods");
  arguments.add("--points", options->points, "That many shares from 0 to 1 instead: fewer take less time")
      .value("N")
      .group("Methods");
  arguments.add("--random-orders", options->pruning.random_orders, "Of the random baseline (default 5)")
      .value("N")
      .group("Methods");
  arguments.add("--seed", options->pruning.seed, "Of the random baseline (default 1)")
      .value("N")
      .group("Methods");
  arguments.add("--save", options->save, "Write a model folder without the least important heads")
      .value("FOLDER")
      .group("Output");
  arguments.add("--rate", options->rate, "Share of heads that --save removes (default 0.2)")
      .value("SHARE")
      .group("Output");
  add_model_options(arguments, options->model);
  add_output_options(arguments, options->output, formats);
  return [options] { return run(*options); };
}

}  // namespace

extern const Command prune{.name = "prune",
                           .summary = "Accuracy as attention heads are removed",
                           .group = "Use a model",
                           .setup = setup};

}  // namespace headwater
