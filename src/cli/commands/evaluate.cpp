// `headwater evaluate`: how far explanations can be trusted, by any metric over any examples, with intervals,
// a random explanation beside them and tests between methods.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <headwater/engine.h>

#include "base/json.h"
#include "base/strings.h"
#include "cli/arguments.h"
#include "cli/commands/command.h"
#include "cli/input_reader.h"
#include "cli/method_options.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/repeat.h"
#include "cli/run_identity.h"
#include "corpus/kept_results.h"
#include "drawing/charts.h"
#include "evaluation/data/evaluation_reader.h"
#include "evaluation/data/kept_values.h"
#include "evaluation/metrics/evaluation.h"
#include "files/record_json.h"
#include "prose/evaluate_writer.h"
#include "prose/plan_text.h"

namespace headwater {
namespace {

// These change no value; --level and --resamples are of the table.
const std::vector<std::string> not_of_the_values = {"--format",    "--values",     "--level",
                                                    "--resamples", "--max-memory", "--also"};

struct Options {
  ModelOptions model;
  CorpusOptions corpus;
  OutputOptions output;
  MethodFlags methods;
  std::string metrics = "comprehensiveness,sufficiency,deletion,insertion";
  std::vector<std::string> metric_options, also;
  std::string explained = "prediction", unit = "token", values;
  EvaluateRequest request;
  std::size_t limit = 0;
  WindowOptions windows;
  bool dry_run = false, truncate = false, resume = false, list = false;
  MemoryOption max_memory;
};

// "replace=unk" for every metric that has it, or "deletion.replace=unk" for one.
std::vector<MetricSpec> metric_specs(const Options& options) {
  std::vector<MetricSpec> specs;
  for (const std::string& name : split(options.metrics, ','))
    specs.push_back({std::string(find_evaluation(name).name), {}});
  for (const std::string& given : options.metric_options) {
    const std::size_t equals = given.find('='), dot = given.find('.');
    if (equals == std::string::npos || equals == 0)
      throw InputError(fmt::format("--metric-option: expected name=value, found \"{}\"", given));
    const bool of_one = dot < equals;
    const std::string metric = of_one ? given.substr(0, dot) : "";
    const std::string name = of_one ? given.substr(dot + 1, equals - dot - 1) : given.substr(0, equals);
    bool taken = false;
    for (MetricSpec& spec : specs) {
      const auto& known = find_evaluation(spec.name).options;
      const bool has =
          std::any_of(known.begin(), known.end(), [&](const MethodOption& o) { return o.name == name; });
      if ((of_one && spec.name != metric) || !has) continue;
      spec.options[name] = given.substr(equals + 1);
      taken = true;
    }
    if (!taken)
      throw InputError(
          fmt::format("--metric-option: expected an option of {}, found \"{}\"; headwater evaluate "
                      "--list names them",
                      options.metrics, given));
  }
  for (const MetricSpec& spec : specs) {
    const Evaluation& evaluation = find_evaluation(spec.name);
    MethodOptions(evaluation.name, evaluation.options, spec.options);
  }
  return specs;
}

std::string shown(const EvaluateReport& report, const std::string& command, const std::string& format,
                  const TerminalFormat& terminal) {
  if (format == "svg") return evaluate_svg(report, provenance_json({}, report.record, command));
  return formatted(evaluate_document(report, command), format, terminal);
}

void check_values(const Options& options) {
  if (options.resume && options.values.empty())
    throw InputError("--resume: expected --values FILE, which holds the measured values, found none; add it");
  if (!options.values.empty()) Output::require_place(options.values);
  if (!options.corpus.shard || options.dry_run) return;
  if (options.values.empty())
    throw InputError(
        "--shard: expected --values FILE, which holds the measured values, found none; add it, and make the "
        "table after headwater merge has joined the values of all shards");
  if (!options.output.path.empty() || !options.also.empty())
    throw InputError(fmt::format(
        "{}: expected none with --shard, because one shard makes no table, found one; join the values of all "
        "shards with headwater merge, then make the table with --values JOINED --resume",
        options.also.empty() ? "--output" : "--also"));
}

EvaluateRequest request_of(const Options& options) {
  EvaluateRequest request = options.request;
  request.overlap = options.windows.chosen(options.truncate);
  request.metrics = metric_specs(options);
  request.explained =
      options.explained == "gold" ? EvaluateRequest::Explained::Gold : EvaluateRequest::Explained::Prediction;
  request.unit = options.unit == "word" ? View::Unit::Word : View::Unit::Token;
  request.max_memory = options.max_memory.bytes();
  request.shard = options.corpus.shard.value_or(Shard{});
  return request;
}

// Further files in the format of their endings.
void write_also(const Options& options, const EvaluateReport& report, const std::string& command) {
  for (const std::string& path : options.also) {
    OutputOptions named;
    named.path = path;
    Output output(path);
    output.write(shown(report, command, named.chosen_format(charted_formats, document_endings),
                       terminal_of(output, "never")));
    output.finish();
    options.output.say(fmt::format("written: {}", path));
  }
}

int run(const Options& options, const Arguments& given) {
  if (options.list) {
    Output output(options.output.path);
    if (options.output.chosen_format(charted_formats, document_endings) == "markdown")
      output.write(evaluations_markdown());
    else
      output.write_text(evaluations_text());
    output.finish();
    return 0;
  }
  const std::string format = options.output.chosen_format(charted_formats, document_endings);
  options.methods.check();
  EvaluateRequest request = request_of(options);
  check_values(options);
  if (options.corpus.file.empty())
    throw InputError("--file: expected a file or folder of examples, found none");
  EvaluationFile file = read_examples(options.corpus, options.limit);
  options.output.say(fmt::format("reading {} as {}", options.corpus.file, file.understood));
  for (EvaluationExample& example : file.examples) example.input.truncate = options.truncate;
  Output output(options.output.path);
  const Engine engine = options.model.load(options.output);
  if (find_evaluation(request.metrics.front().name).measure_model == nullptr || options.methods.names)
    request.methods = options.methods.specs(engine.info());
  request.examples = std::move(file.examples);
  if (options.dry_run) {
    output.write(evaluate_plan_text(engine.plan_evaluate(request), engine.info(),
                                    {"metrics", split(options.metrics, ',')}, format));
    output.finish();
    return 0;
  }
  std::optional<KeptResults> kept;
  if (!options.values.empty()) {
    kept.emplace(options.values, options.values,
                 run_identity(engine, "evaluate", file.identity, given.given(), not_of_the_values),
                 options.resume ? KeptResults::Start::Resume : KeptResults::Start::Anew);
    request.before = read_values(kept->complete() ? options.values : kept->part(), request.shard);
    if (!request.before.empty())
      options.output.say(fmt::format("resuming: {} done already", request.before.size()));
    request.keep = [&](const ExampleValues& values) { kept->append(values_line(values)); };
  }
  ProgressLine progress(options.output.quiet);
  progress.expect(request.shard.of(request.examples.size()), request.before.size());
  request.progress = [&](const Progress& p, std::size_t done) {
    progress.show_done(done);
    progress.show(p);
  };
  const EvaluateReport report = engine.evaluate(request);
  if (kept) kept->finish();
  progress.clear();
  if (options.corpus.shard) {
    options.output.say(fmt::format("written: {}", options.values));
    return 0;
  }
  const std::string command =
      repeat_command("evaluate", given, report.record, {"--values", "--resume", "--also"});
  output.write(shown(report, command, format, terminal_of(output, options.output.colour)));
  output.finish();
  if (output.is_file()) options.output.say(fmt::format("written: {}", options.output.path));
  write_also(options, report, command);
  return 0;
}

void add_measure_options(Arguments& arguments, const std::shared_ptr<Options>& options) {
  arguments.under("Metrics").add("--metrics METRICS", options->metrics,
                                 "Metrics, separated by commas (default " + options->metrics + ")");
  arguments.under("Metrics").add_repeated(
      "--metric-option NAME=VALUE", options->metric_options,
      "Set an option of the chosen metrics, or METRIC.NAME of one; may be repeated");
  arguments.under("Metrics").add("--list", options->list, "Describe the metrics and exit");
  arguments.under("Metrics")
      .add("--explained prediction|gold", options->explained, "Explain the prediction or the gold label")
      .choices();
  arguments.under("Metrics")
      .add("--unit token|word", options->unit, "What is removed at once (default token)")
      .choices();
  arguments.under("Metrics").add("--seed N", options->request.seed,
                                 "Seed of random explanations, subsets and resamples (default 0)");
  arguments.under("Metrics").add("--resamples N", options->request.resamples,
                                 "Number of bootstrap resamples for the intervals (default 2000)");
  arguments.under("Metrics").add("--level SHARE", options->request.level,
                                 "Confidence level of the intervals (default 0.95)");
}

std::function<int()> setup(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  options->corpus.labelled = true;
  add_corpus_options(arguments, options->corpus,
                     "Examples: txt, tsv, csv, jsonl; an ERASER folder or .jsonl; BLiMP .jsonl; a folder of "
                     "images/ and masks/");
  arguments.under("Input").add("--limit N", options->limit,
                               "Use only the first N examples; 0: all (default 0)");
  add_shard_option(arguments, options->corpus.shard);
  arguments.under("Input").add("--truncate", options->truncate,
                               "Cut a text that is too long instead of refusing it");
  add_window_options(arguments, options->windows);
  add_gold_label_option(arguments, options->request.gold_labels);
  add_model_options(arguments, options->model);
  add_measure_options(arguments, options);
  add_method_options(arguments, options->methods, "--methods,--method");
  add_memory_option(arguments, options->max_memory);
  add_output_options(arguments, options->output, charted_formats);
  add_dry_run_option(arguments, options->dry_run);
  add_colour_option(arguments, options->output);
  arguments.under("Output").add_repeated(
      "--also FILE", options->also,
      "Also write the results to this file, in the format of its extension; may be repeated");
  arguments.under("Output").add("--values FILE", options->values,
                                "Store the values of every example in this file as they come");
  arguments.under("Output").add("--resume", options->resume, "Continue from the values of an earlier run");
  return [options, given = arguments] { return run(*options, given); };
}

}  // namespace

extern const Command evaluate{.name = "evaluate",
                              .summary = "Measure how faithful explanations are, over many examples",
                              .group = "Use a model",
                              .setup = setup};

}  // namespace headwater
