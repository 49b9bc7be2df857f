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
#include "cli/input_reader.h"
#include "cli/method_options.h"
#include "cli/options.h"
#include "cli/output.h"
#include "report/focus.h"
#include "report/method_text.h"

namespace headwater {
namespace {

constexpr const char* formats = "terminal|json|jsonl|npz|safetensors|html|png";
constexpr const char* endings = ".txt=terminal .htm=html .ndjson=jsonl";

struct Options : RunOptions {
  InputOptions input;
  CorpusRunOptions corpus;
  std::vector<std::string> also;  // further files for the same results
  MethodFlags methods;
  TargetSpec target;   // without its label
  std::string prefix;  // encoder–decoders: what the output begins with
  int generate = 0;
  std::vector<std::string> targets;  // labels; none: the prediction
  std::string special = "keep";
  std::string row;  // of maps, for the terminal; empty: the one the output was read from
  bool words = false;
  bool list_methods = false;
  bool verify = false;
};

std::string on_terminal(const Report& report, TerminalFormat format, const std::string& row) {
  const bool maps = std::any_of(report.attributions.begin(), report.attributions.end(),
                                [](const Attribution& a) { return has_axis(a, Axis::Query); });
  if (!row.empty() && !maps)
    throw InputError("--row: expected a method with rows, found scores per token; value_zeroing has rows");
  if (!row.empty()) format.row = row_named(viewed(report), row);
  return to_terminal(report, format);
}

std::string formatted(std::span<const Report> reports, const std::string& format, const Output& output,
                      const Options& options) {
  if (format == "html") return to_html(reports);
  if (format == "png") return to_png(reports);
  const Report& report = reports.front();
  if (format == "json") return to_json(report, 2) + "\n";
  if (format == "jsonl") return to_json(report, -1) + "\n";
  if (format == "npz") return to_npz(report);
  if (format == "safetensors") return to_safetensors(report);
  return on_terminal(report, terminal_of(output, options.output.colour), options.row);
}

bool holds_many(const std::string& format) {
  return format == "terminal" || format == "jsonl";
}

// Several targets: one result after the other, or side by side over one picture.
void check_targets(const Options& options, const std::string& format) {
  if (options.targets.size() > 1 && !holds_many(format) && format != "html" && format != "png")
    throw InputError(
        fmt::format("--target: expected one for {}, found {}; terminal, jsonl, html and png take several",
                    format, options.targets.size()));
}

void check_row(const Options& options, const std::string& format) {
  if (!options.row.empty() && format != "terminal")
    throw InputError(
        fmt::format("--row: expected the terminal's format, found {}, which holds every row", format));
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

// Where the results of an input go: the output, and further files, each in the format of its ending.
class Destinations {
 public:
  Destinations(CorpusRun& run, const Options& options, const std::string& format)
      : run_(run), options_(options) {
    places_.push_back({format, nullptr});
    for (const std::string& path : options.also) {
      OutputOptions named;
      named.path = path;
      places_.push_back({named.chosen_format(formats, endings), std::make_unique<Output>(path)});
      check_targets(options, places_.back().format);
    }
    if (options.corpus.resume && !options.also.empty())
      throw InputError("--also: expected none with --resume, because only the output is kept; leave it out");
  }
  // The first format that has room for one input only, or nothing.
  std::string holds_one() const {
    for (const Place& place : places_)
      if (!holds_many(place.format)) return place.format;
    return {};
  }
  void write(const CorpusRun::Item& item, std::span<const Report> reports) {
    for (const auto& [format, file] : places_) {
      Output& output = file ? *file : run_.output();
      const std::size_t together = holds_many(format) ? 1 : reports.size();
      for (std::size_t r = 0; r < reports.size(); r += together) {
        if (!file && format == "jsonl") {
          output.write(run_.json_line(item, to_json(reports[r], -1)));
          continue;
        }
        if (!file && format == "terminal" && written_++ > 0) output.write("\n");
        output.write(formatted(reports.subspan(r, together), format, output, options_));
      }
    }
    run_.output().flush();
  }
  void finish() {
    for (std::size_t f = 0; f < options_.also.size(); ++f) {
      Output& file = *places_[f + 1].file;
      file.finish();
      if (file.is_file()) options_.output.say(fmt::format("written: {}", options_.also[f]));
    }
  }

 private:
  struct Place {
    std::string format;
    std::unique_ptr<Output> file;  // null: the output of the run
  };
  CorpusRun& run_;
  const Options& options_;
  std::vector<Place> places_;
  std::size_t written_ = 0;
};

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
                 .max_memory = options.max_memory.bytes(),
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

int explain_all(const Engine& engine, CorpusRun& run, const Options& options, const std::string& format) {
  const Explaining explaining(engine, run, options);
  Destinations results(run, options, format);
  const std::string single = results.holds_one();
  std::size_t count = 0;
  for (;;) {
    std::vector<Explained> some;
    for (CorpusRun::Item& item : run.next_some(single.empty() ? explaining.most() : 1))
      some.push_back({std::move(item)});
    if (some.empty()) break;
    count += some.size();
    if (!single.empty()) run.reader().expect_last(single + ", found another; --format jsonl holds many");
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
  const std::string format = options.output.chosen_format(formats, endings);
  options.methods.check();
  check_targets(options, format);
  check_row(options, format);
  CorpusRun corpus(options.input, options.output, options.corpus, options.dry_run ? "terminal" : format);
  const bool binary = format == "npz" || format == "safetensors" || format == "png";
  if (binary && Output("").is_terminal() && options.output.path.empty() && !options.dry_run)
    throw InputError(fmt::format("{} is binary: name a file with -o, or send it down a pipe", format));
  const Engine engine = options.model.load();
  corpus.open(engine, "explain");
  return explain_all(engine, corpus, options, format);
}

void declare(Arguments& arguments, Options& options) {
  add_input_options(arguments, options.input);
  add_shard_option(arguments, options.input.corpus.shard);
  add_model_options(arguments, options.model);
  arguments.under("Target").add_repeated(
      "--target LABEL", options.targets,
      "Label, token or answer to explain (default: the prediction); again for another");
  add_target_options(arguments, options.target);
  arguments.add("--prefix TEXT", options.prefix, "Encoder–decoders: what the output begins with");
  arguments
      .add("--generate N", options.generate,
           "Let the model write so many tokens first, greedily; --position then names one of them")
      .range(0, 1 << 16);
  add_method_options(arguments, options.methods);
  arguments.add("--list-methods", options.list_methods, "Name the methods and end");
  arguments.under("Output").add("--words", options.words,
                                "Words instead of tokens: columns summed, rows averaged");
  arguments
      .add("--special keep|hide|drop", options.special,
           "Special tokens: keep, hide, or drop and rescale the rows (default keep)")
      .choices();
  arguments.add("--row N|TOKEN", options.row,
                "On the terminal: the row of this token, of maps (default: the answer's)");
  add_memory_option(arguments, options.max_memory);
  arguments.under("Methods").add("--verify", options.verify,
                                 "Run in float64 too and check every result against it");
  add_output_options(arguments, options.output, formats);
  arguments.add_repeated(
      "--also FILE", options.also,
      "Write the same results to this file too, in the format of its ending; again for another");
  add_corpus_run_options(arguments, options.corpus);
  add_colour_option(arguments, options.output);
  add_dry_run_option(arguments, options.dry_run);
}

}  // namespace

extern const Command explain{.name = "explain",
                             .summary = "Where a prediction comes from",
                             .group = "Use a model",
                             .setup = set_up<declare, run>};

}  // namespace headwater
