// `headwater identify`: can a hidden vector still be told which token it came from?
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <headwater/engine.h>

#include "base/index_list.h"
#include "base/nearest.h"
#include "base/strings.h"
#include "cli/arguments.h"
#include "cli/commands/command.h"
#include "cli/input_reader.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/repeat.h"
#include "report/charts.h"
#include "report/identify_writer.h"
#include "report/provenance.h"

namespace headwater {
namespace {

constexpr const char* formats = "text|json|jsonl|csv|svg";

struct Options {
  ModelOptions model;
  InputOptions input;
  OutputOptions output;
  IdentifyRequest request;
  std::string maps = "naive,linear", distances = "cosine,l2", target = "word", pool = "sentence",
              match = "id";
  MemoryOption max_memory;
  std::string states;
  bool no_control = false;
  bool dry_run = false;
};

// The values named in "a,b".
template <class T>
std::vector<T> chosen(const std::string& option, const std::string& text, const std::vector<T>& all) {
  std::vector<std::string> names;
  for (const T value : all) names.emplace_back(name_of(value));
  std::vector<T> found;
  for (const std::string& name : split(text, ',')) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end())
      throw InputError(fmt::format("{}: expected {}, found \"{}\"{}", option, fmt::join(names, ", "), name,
                                   suggestion(name, names)));
    found.push_back(all[static_cast<std::size_t>(at - names.begin())]);
  }
  return found;
}

std::vector<int> parsed_states(const std::string& text) {
  constexpr int limit = 100'000;  // the model's own is checked when there is one
  if (text.empty()) return {};
  return parse_index_list(text, limit, [](const std::string& piece) {
    throw InputError(fmt::format("--states: expected numbers and ranges such as 0,3-6, found \"{}\"", piece));
  });
}

void read_texts(InputReader& reader, IdentifyRequest& request) {
  while (std::optional<Example> example = reader.next()) {
    request.texts.push_back(std::move(example->input));
    request.names.push_back(reader.where());
  }
}

std::string formatted(const IdentifyReport& report, const std::string& format, const std::string& match,
                      const std::string& command, const TerminalFormat& terminal) {
  if (format == "json") return identify_json(report, command);
  if (format == "jsonl") return identify_jsonl(report);
  if (format == "csv") return identify_csv(report);
  if (format == "svg")
    return identify_svg(report, match == "position" ? MatchRule::Position : MatchRule::Id,
                        provenance_json(report.checks, report.record, command));
  return identify_table(report, match, command, terminal);
}

int run(const Options& options, const Arguments& given) {
  const std::string format = options.output.chosen_format(formats, ".txt=text .ndjson=jsonl");
  IdentifyRequest request = options.request;
  request.maps = chosen<TokenMap>("--map", options.maps, {TokenMap::Naive, TokenMap::Linear, TokenMap::Mlp});
  request.distances =
      chosen<TokenDistance>("--distance", options.distances, {TokenDistance::Cosine, TokenDistance::L2});
  request.target = chosen<TokenTarget>("--target", options.target,
                                       {TokenTarget::Word, TokenTarget::Sum, TokenTarget::Hidden})
                       .front();
  request.pool =
      chosen<TokenPool>("--pool", options.pool, {TokenPool::Sentence, TokenPool::Vocabulary}).front();
  request.states = parsed_states(options.states);
  request.control = !options.no_control;
  request.max_memory = options.max_memory.bytes();
  if (options.match == "position" && request.pool == TokenPool::Vocabulary)
    throw InputError("--match: expected id with --pool vocabulary, which has no positions, found position");
  InputReader reader(options.input);
  if (const std::string text = reader.understood(); !text.empty()) options.output.say(text);
  Output output(options.output.path);
  read_texts(reader, request);
  const Engine engine = options.model.load();
  if (options.dry_run) {
    output.write(identify_plan_text(engine.plan_identify(request), engine.info(), format));
    output.finish();
    return 0;
  }
  ProgressLine progress(options.output.quiet);
  request.progress = [&](const Progress& p) { progress.show(p); };
  IdentifyReport report = engine.identify(request);
  progress.clear();
  if (const std::string text = reader.left_out(); !text.empty()) report.notes.push_back(text);
  const std::string command = repeat_command("identify", given, report.record, {"--resume"});
  output.write(formatted(report, format, options.match, command, terminal_of(output, options.output.colour)));
  output.finish();
  if (output.is_file()) options.output.say(fmt::format("written: {}", options.output.path));
  return 0;
}

void add_map_options(Arguments& arguments, Options& options) {
  IdentifyRequest& request = options.request;
  const auto add = [&](const char* name, auto& value, const char* text, const char* help) {
    return arguments.add(name, value, help).value(text).group("Maps");
  };
  add("--map", options.maps, "LIST", "Of naive, linear, mlp (default naive,linear)");
  add("--distance", options.distances, "LIST", "Of cosine, l2 (default both)");
  add("--ridge", request.ridge, "X", "Penalty of the linear map (default 0.1)");
  add("--hidden", request.mlp.hidden, "N", "Width of the mlp (default 1000)");
  add("--learning-rate", request.mlp.learning_rate, "X", "Of the mlp's Adam (default 1e-4)");
  add("--batch", request.mlp.batch, "N", "Tokens per step of the mlp (default 256)");
  add("--patience", request.mlp.patience, "N", "Epochs without improvement before it stops (default 20)");
  add("--epochs", request.mlp.epochs, "N", "Epochs at most (default 1000)");
  arguments.add("--across", request.across, "Test the maps of every state on all states").group("Maps");
}

std::function<int()> setup(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  IdentifyRequest& request = options->request;
  add_text_file_options(arguments, options->input);
  add_model_options(arguments, options->model);
  add_map_options(arguments, *options);
  const auto add = [&](const char* name, auto& value, const char* text, const char* help) {
    return arguments.add(name, value, help).value(text).group("Measure");
  };
  arguments.add("--target", options->target, "Embedding to find (default word)")
      .choices("word|sum|hidden")
      .group("Measure");
  arguments.add("--pool", options->pool, "Candidates (default sentence)")
      .choices("sentence|vocabulary")
      .group("Measure");
  arguments.add("--match", options->match, "Rule the table and the picture show (default id)")
      .choices("id|position")
      .group("Measure");
  add("--states", options->states, "LIST", "Such as 0,3-6; 0 is what enters layer 0 (default all)");
  add("--folds", request.folds, "K", "Test every text once, in K parts (default 1: 70/15/15)");
  add("--seed", request.seed, "N", "Of the split, the mlp and the untrained model (default 0)");
  arguments.add("--no-control", options->no_control, "Without the untrained model beside it")
      .group("Measure");
  add("--resume", request.resume, "FILE", "Keep finished cells here, and go on from them");
  add_memory_option(arguments, options->max_memory);
  add_output_options(arguments, options->output, formats);
  add_dry_run_option(arguments, options->dry_run);
  return [options, given = arguments] { return run(*options, given); };
}

}  // namespace

extern const Command identify{.name = "identify",
                              .summary = "Whether hidden vectors still tell their tokens, over many texts",
                              .group = "Use a model",
                              .setup = setup};

}  // namespace headwater
