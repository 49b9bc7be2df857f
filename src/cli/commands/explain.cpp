// `headwater explain`: where a prediction comes from, by one method or several, in any of the formats.
//
// The methods' own options are flags here, read from their records: a new method's options need no line.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <headwater/engine.h>
#include <headwater/formats.h>

#include "base/parallel.h"
#include "cli/commands/command.h"
#include "cli/corpus_run.h"
#include "cli/destinations.h"
#include "cli/input_reader.h"
#include "cli/method_options.h"
#include "cli/options.h"
#include "cli/output.h"
#include "prose/method_text.h"

namespace headwater {
namespace {

struct Options : RunOptions {
  InputOptions input;
  CorpusRunOptions corpus;
  WindowOptions windows;
  std::vector<std::string> also;  // further files for the same results
  MethodFlags methods;
  TargetSpec target;   // without its label
  std::string prefix;  // encoder–decoders: what the output begins with
  int generate = 0;
  std::vector<std::string> targets;  // labels; none: the prediction
  std::string special = "keep";
  std::string row;   // of maps, for the terminal; empty: the one the output was read from
  std::string kind;  // of figures
  bool details = false;
  bool words = false;
  bool list_methods = false;
  BudgetOption budget;
  bool verify = false;
};

void check_row(const Options& options, const std::string& format) {
  if (!options.row.empty() && format != "terminal")
    throw InputError(fmt::format(
        "--row: expected the terminal's format, found {}, which contains every row; leave --row out",
        format));
}

View view_of(const Options& options) {
  return {.unit = options.words ? View::Unit::Word : View::Unit::Token,
          .special = options.special == "hide"   ? View::Special::Hide
                     : options.special == "drop" ? View::Special::Drop
                                                 : View::Special::Keep};
}

// What a line of the file asks for goes before what the command line does.
std::vector<Request> requests_of(Request request, const Example& example,
                                 const std::vector<std::string>& labels) {
  if (!example.contrast.empty()) request.target.contrast = example.contrast;
  if (example.position) request.target.position = example.position;
  const std::vector<std::string>& wanted = example.targets.empty() ? labels : example.targets;
  std::vector<Request> requests(std::max<std::size_t>(1, wanted.size()), request);
  for (std::size_t k = 0; k < wanted.size(); ++k) requests[k].target.label = wanted[k];
  return requests;
}

// One input and what became of it.
struct Explained {
  CorpusRun::Item item;
  std::vector<Report> reports = {};
  std::exception_ptr error = nullptr;
};

// Explains them, as many at once as the engine takes together: results do not depend on it.
class Explaining {
 public:
  Explaining(const Engine& engine, CorpusRun& run, const Options& options)
      : engine_(engine),
        run_(run),
        options_(options),
        request_{.input = {},
                 .target = options.target,
                 .methods = options.methods.specs(engine.info()),
                 .view = view_of(options),
                 .overlap = options.windows.chosen(options.input.truncate),
                 .max_memory = options.max_memory.bytes(),
                 .budget = options.budget.seconds(),
                 .verify = options.verify} {}

  // How many inputs it takes at once.
  std::size_t most() const {
    const bool alone = options_.dry_run || options_.verify || request_.max_memory > 0;
    return alone ? 1 : 8 * static_cast<std::size_t>(thread_count());
  }

  void explain(std::vector<Explained>& some) const {
    std::vector<Request> requests;
    std::vector<Explained*> owners;
    for (Explained& one : some) try {
        for (Request& request : checked_requests(one.item)) {
          requests.push_back(std::move(request));
          owners.push_back(&one);
        }
      } catch (const Error&) {
        one.error = std::current_exception();
      }
    for (std::size_t next = 0; next < requests.size();) {
      Explained* const owner = owners[next];
      try {
        for (Report& report : engine_.explain_some(std::span(requests).subspan(next)))
          owners[next++]->reports.push_back(std::move(report));
      } catch (const Error&) {
        owner->error = std::current_exception();
        while (next < requests.size() && owners[next] == owner) ++next;  // its other targets
      }
    }
  }

  Request request_for(const CorpusRun::Item& item) const {
    Request request = request_;
    request.input = item.example.input;
    request.input.prefix = options_.prefix;
    request.input.generate = options_.generate;
    return request;
  }

 private:
  // None in a dry run.
  std::vector<Request> checked_requests(const CorpusRun::Item& item) const {
    if (item.error) std::rethrow_exception(item.error);
    Request request = request_for(item);
    require_text(request.input);
    if (options_.dry_run) return {};
    request.progress = [&](const Progress& p) { run_.progress().show(p); };
    return requests_of(std::move(request), item.example, options_.targets);
  }

  const Engine& engine_;
  CorpusRun& run_;
  const Options& options_;
  Request request_;
};

DestinationOptions destinations_of(const Options& options, const std::string& format) {
  return {.format = format,
          .also = options.also,
          .kind = options.kind,
          .row = options.row,
          .details = options.details,
          .targets = options.targets.size() > 1};
}

// What is explained next; at first two, where they tell whether a line for each has to do.
std::vector<Explained> next_inputs(CorpusRun& run, std::size_t most, bool two) {
  std::vector<Explained> some;
  for (CorpusRun::Item& item : run.next_some(most)) some.push_back({std::move(item)});
  if (two && some.size() == 1 && !some.front().item.error && !run.reader().from_arguments())
    for (CorpusRun::Item& item : run.next_some(1)) some.push_back({std::move(item)});
  return some;
}

int explain_all(const Engine& engine, CorpusRun& run, const Options& options, const std::string& format) {
  const Explaining explaining(engine, run, options);
  Destinations results(run, options.output, destinations_of(options, format));
  const std::string single = results.holds_one();
  const bool may_shorten = format == "terminal" && options.output.format.empty() &&
                           options.output.path.empty() && !options.dry_run && options.row.empty() &&
                           !options.details && single.empty();
  std::size_t count = 0;
  for (;;) {
    std::vector<Explained> some =
        next_inputs(run, single.empty() ? explaining.most() : 1, may_shorten && count == 0);
    if (some.empty()) break;
    if (may_shorten && count == 0 && some.size() > 1 && !run.reader().from_arguments()) {
      results.shorten();
      options.output.say("one line per input; --details prints full results, -o FILE.csv a table of scores");
    }
    count += some.size();
    if (!single.empty()) run.reader().expect_last(single + ", found another; use --format jsonl for several");
    explaining.explain(some);
    for (Explained& one : some) {
      try {
        if (one.error) std::rethrow_exception(one.error);
        if (options.dry_run) run.output().write(dry_run(engine, explaining.request_for(one.item), format));
      } catch (const Error&) {
        run.fail(one.item, std::current_exception());
        continue;
      }
      run.progress().clear();
      if (!options.dry_run) results.write(one.item, one.reports);
      run.done();
    }
  }
  if (count == 0 && run.nothing_done()) throw InputError("expected a text to explain, found an empty input");
  const int code = run.finish();
  results.finish();
  return code;
}

int run(const Options& options) {
  if (options.list_methods) {
    fmt::print("{}", methods_table());
    return 0;
  }
  const std::string format = options.output.chosen_format(ReportFormats::names, ReportFormats::endings);
  options.methods.check();
  options.budget.seconds();
  check_row(options, format);
  Destinations::check(destinations_of(options, format));
  if (options.corpus.resume && !options.also.empty())
    throw InputError("--also: expected none with --resume, because only -o is resumed; leave it out");
  CorpusRun corpus(options.input, options.output, options.corpus, options.dry_run ? "terminal" : format);
  if (ReportFormats::is_binary(format) && Output("").is_terminal() && options.output.path.empty() &&
      !options.dry_run)
    throw InputError(fmt::format("{} is binary: name a file with -o, or send it to a pipe", format));
  const Engine engine = options.model.load(options.output);
  corpus.open(engine, "explain");
  return explain_all(engine, corpus, options, format);
}

void declare(Arguments& arguments, Options& options) {
  add_input_options(arguments, options.input);
  add_window_options(arguments, options.windows);
  add_shard_option(arguments, options.input.corpus.shard);
  add_model_options(arguments, options.model);
  arguments.under("Target").add_repeated("--target LABEL", options.targets,
                                         "Target to explain (default: the prediction)");
  add_target_options(arguments, options.target);
  arguments.add("--prefix TEXT", options.prefix, "Beginning of an encoder–decoder's output");
  arguments.add("--generate N", options.generate, "Let the model write, and explain each token")
      .range(0, 1 << 16);
  add_method_options(arguments, options.methods);
  add_budget_option(arguments, options.budget);
  arguments.under("Methods").add("--list-methods", options.list_methods, "List the methods and exit");
  arguments.under("Output").add("--words", options.words, "Show words instead of tokens");
  arguments
      .add("--special keep|hide|drop", options.special, "Special tokens; drop rescales rows (default keep)")
      .choices();
  arguments.add("--row N|TOKEN", options.row, "Row of a map to show on the terminal");
  add_memory_option(arguments, options.max_memory);
  arguments.under("Methods").add("--verify", options.verify, "Compare with a run in float64");
  add_output_options(arguments, options.output, ReportFormats::names);
  arguments
      .add("--kind strip|grid|matrix|heads|flow|overlay", options.kind,
           "Kind of figure, as in headwater plot")
      .choices();
  arguments.add("--details", options.details, "Show all checks, notes and numbers");
  arguments.add_repeated("--also FILE", options.also, "Also write the results to this file; repeatable");
  add_corpus_run_options(arguments, options.corpus);
  add_colour_option(arguments, options.output);
  add_dry_run_option(arguments, options.dry_run);
}

}  // namespace

extern const Command explain{.name = "explain",
                             .summary = "Explain where a prediction comes from",
                             .group = "Use a model",
                             .setup = set_up<declare, run>};

}  // namespace headwater
