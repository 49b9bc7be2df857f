// `headwater heads`: how important every attention head is for a labelled file.
#include <memory>

#include "cli/command.h"
#include "cli_support/arguments.h"
#include "cli_support/heads_text.h"
#include "cli_support/labelled_reader.h"
#include "cli_support/options.h"
#include "cli_support/output.h"
#include "cli_support/prediction_writer.h"
#include "cli_support/progress.h"

namespace headwater {
namespace {

constexpr const char* formats = "text|json";

struct Options {
  ModelOptions model;
  OutputOptions output;
  LabelledOptions input{.corpus = {}, .limit = 200};
  std::string rankings = "attattr,attention,taylor";
};

int run(const Options& options) {
  const bool json = options.output.chosen_format(formats, ".txt=text") == "json";
  const std::vector<LabelledInput> inputs = options.input.read(options.output);
  Output output(options.output.path);
  const Engine engine = options.model.load();
  ProgressLine progress(options.output.quiet);
  std::vector<HeadImportance> rankings;
  for (const std::string& ranking : split(options.rankings, ','))
    rankings.push_back(engine.head_importance(inputs, ranking, [&](const Progress& p) { progress.show(p); }));
  progress.clear();
  output.write(json ? heads_json(rankings)
                    : heads_text(rankings, terminal_of(output, options.output.colour).colour));
  output.finish();
  return 0;
}

std::function<int()> setup(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  add_labelled_options(arguments, options->input, "Inputs used, from the first on");
  add_rankings_option(arguments, options->rankings);
  add_model_options(arguments, options->model);
  add_output_options(arguments, options->output, formats);
  add_colour_option(arguments, options->output);
  return [options] { return run(*options); };
}

}  // namespace

extern const Command heads{.name = "heads",
                           .summary = "How important every attention head is",
                           .group = "Use a model",
                           .setup = setup};

}  // namespace headwater
