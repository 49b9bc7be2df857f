// `headwater identify`: can a hidden vector still be told which token it came from?
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <headwater/engine.h>

#include "base/index_list.h"
#include "base/nearest.h"
#include "base/strings.h"
#include "cli/commands/command.h"
#include "cli/input_reader.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/repeat.h"
#include "drawing/charts.h"
#include "files/record_json.h"
#include "prose/identify_writer.h"
#include "prose/plan_text.h"
#include "result/many_inputs.h"

namespace headwater {
namespace {

constexpr const char* formats = "text|markdown|latex|csv|json|jsonl|html|svg";

struct Options : RunOptions {
  InputOptions input;
  IdentifyRequest request;
  std::string maps = "naive,linear", distances = "cosine,l2", target = "word", pool = "sentence",
              match = "id";
  std::string states;
  bool no_control = false;
};

// The values named in "a,b".
template <class T>
std::vector<T> values_named(const std::string& option, const std::string& text, const std::vector<T>& all) {
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

std::string shown(const IdentifyReport& report, const std::string& format, MatchRule match,
                  const std::string& command, const TerminalFormat& terminal) {
  if (format == "jsonl") return identify_jsonl(report);
  if (format == "svg")
    return identify_svg(report, match, provenance_json(report.checks, report.record, command));
  return formatted(identify_document(report, match, command), format, terminal);
}

int run(const Options& options, const Arguments& given) {
  const std::string format =
      options.output.chosen_format(formats, std::string(document_endings) + " .ndjson=jsonl");
  IdentifyRequest request = options.request;
  request.maps =
      values_named<TokenMap>("--map", options.maps, {TokenMap::Naive, TokenMap::Linear, TokenMap::Mlp});
  request.distances = values_named<TokenDistance>("--distance", options.distances,
                                                  {TokenDistance::Cosine, TokenDistance::L2});
  request.target = values_named<TokenTarget>("--target", options.target,
                                             {TokenTarget::Word, TokenTarget::Sum, TokenTarget::Hidden})
                       .front();
  request.pool =
      values_named<TokenPool>("--pool", options.pool, {TokenPool::Sentence, TokenPool::Vocabulary}).front();
  request.states = parsed_states(options.states);
  request.control = !options.no_control;
  request.max_memory = options.max_memory.bytes();
  if (options.match == "position" && request.pool == TokenPool::Vocabulary)
    throw InputError("--match: expected id with --pool vocabulary, which has no positions, found position");
  InputReader reader(options.input);
  if (const std::string text = reader.understood(); !text.empty()) options.output.say(text);
  Output output(options.output.path);
  read_texts(reader, request);
  const Engine engine = options.model.load(options.output);
  if (options.dry_run)
    return finish_with(output, identify_plan_text(engine.plan_identify(request), engine.info(), format));
  ProgressLine progress(options.output.quiet);
  request.progress = [&](const Progress& p) { progress.show(p); };
  IdentifyReport report = engine.identify(request);
  progress.clear();
  if (const std::string text = reader.left_out(); !text.empty()) report.notes.push_back(text);
  const std::string command = repeat_command("identify", given, report.record, {"--resume"});
  return finish_with(output,
                     shown(report, format, options.match == "id" ? MatchRule::Id : MatchRule::Position,
                           command, terminal_of(output, options.output.colour)),
                     options.output);
}

void add_map_options(Arguments& arguments, Options& options) {
  IdentifyRequest& request = options.request;
  arguments.under("Maps").add("--map LIST", options.maps, "Maps: naive, linear, mlp (default naive,linear)");
  arguments.add("--distance LIST", options.distances, "Distances: cosine, l2 (default both)");
  arguments.add("--ridge X", request.ridge, "Penalty of the linear map (default 0.1)");
  arguments.add("--hidden N", request.mlp.hidden, "Width of the mlp (default 1000)");
  arguments.add("--learning-rate X", request.mlp.learning_rate,
                "Learning rate of the mlp's Adam (default 1e-4)");
  arguments.add("--batch N", request.mlp.batch, "Tokens per step of the mlp (default 256)");
  arguments.add("--patience N", request.mlp.patience,
                "Epochs without improvement before training stops (default 20)");
  arguments.add("--epochs N", request.mlp.epochs, "Largest number of epochs (default 1000)");
  arguments.add("--across", request.across, "Test the maps of every state on all states");
}

void declare(Arguments& arguments, Options& options) {
  IdentifyRequest& request = options.request;
  add_text_file_options(arguments, options.input);
  add_model_options(arguments, options.model);
  add_map_options(arguments, options);
  arguments.under("Measure")
      .add("--target word|sum|hidden", options.target, "The embedding to identify (default word)")
      .choices();
  arguments.add("--pool sentence|vocabulary", options.pool, "Candidate embeddings (default sentence)")
      .choices();
  arguments
      .add("--match id|position", options.match, "Matching rule of the table and the picture (default id)")
      .choices();
  arguments.add("--states LIST", options.states,
                "States such as 0,3-6; 0 is the input of layer 0 (default all)");
  arguments.add("--folds K", request.folds, "Test every text once, in K parts (default 1: 70/15/15)");
  arguments.add("--seed N", request.seed, "Seed of the split, the mlp and the untrained model (default 0)");
  arguments.add("--no-control", options.no_control, "Leave out the untrained model");
  arguments.add("--resume FILE", request.resume, "Store finished cells in this file, and continue from them");
  add_run_options(arguments, options, formats);
}

}  // namespace

extern const Command identify{
    .name = "identify",
    .summary = "Measure whether hidden vectors still identify their tokens, over many texts",
    .group = "Use a model",
    .setup = set_up<declare, run>};

}  // namespace headwater
