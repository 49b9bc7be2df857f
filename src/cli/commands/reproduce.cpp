// `headwater reproduce`: a paper's experiment run again, beside what was published.
#include <fmt/format.h>
#include <headwater/engine.h>

#include "cli/commands/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/repeat.h"
#include "prose/table.h"
#include "reproductions/reproduction.h"

namespace headwater {
namespace {

constexpr const char* formats = "text|md|json|svg";

struct Options {
  std::string paper, data;
  ModelOptions model;
  OutputOptions output;
  std::size_t limit = 0;
  unsigned seed = 1;
};

std::string list_of_papers() {
  Table table{.header = {"paper", "question", "model", "data"}, .rows = {}, .right = ""};
  for (const Reproduction* one : all_reproductions())
    table.rows.push_back(
        {std::string(one->name), std::string(one->summary), std::string(one->model), std::string(one->data)});
  return table.str();
}

std::string formatted(const ReproducedReport& report, const std::string& format, const std::string& command,
                      const TerminalFormat& terminal) {
  if (format == "json") return reproduced_json(report, command);
  if (format == "svg") return reproduced_svg(report, command);
  if (format == "md") return reproduced_markdown(report, command);
  return reproduced_text(report, command, terminal.width);
}

int run(const Options& options, const Arguments& given) {
  const std::string format = options.output.chosen_format(formats, ".txt=text .markdown=md");
  Output output(options.output.path);
  if (options.paper.empty()) return finish_with_text(output, list_of_papers());
  const Reproduction& paper = find_reproduction(options.paper);
  if (format == "svg" && !paper.has_picture)
    throw InputError(
        fmt::format("svg: expected a paper with a picture, such as mohebbi2023, found {}; use another format",
                    paper.name));
  if (options.data.empty()) throw InputError(fmt::format("--data: expected {}, found nothing", paper.data));
  if (options.model.model.empty())
    throw InputError(fmt::format("--model: expected {}, found nothing", paper.model));
  const Engine engine = options.model.load(options.output);
  ProgressLine progress(options.output.quiet);
  const ReproduceRequest request{.engine = engine,
                                 .data = options.data,
                                 .limit = options.limit == 0 ? paper.limit : options.limit,
                                 .seed = options.seed,
                                 .progress = [&](const Progress& p) { progress.show(p); }};
  const ReproducedReport report{paper, paper.run(request), engine.record()};
  progress.clear();
  const std::string command = repeat_command("reproduce", given, report.record);
  return finish_with(output, formatted(report, format, command, terminal_of(output, options.output.colour)),
                     options.output);
}

void declare(Arguments& arguments, Options& options) {
  arguments.add("paper  ", options.paper, "Paper to reproduce; without it the papers are listed");
  arguments.under("Input").add("--data PATH", options.data, "Folder or file of the corpus");
  arguments.under("Input").add("--limit N", options.limit,
                               "Number of inputs, evenly spaced (default: depends on the paper)");
  arguments.under("Input").add("--seed N", options.seed, "Seed of what is drawn at random (default 1)");
  add_model_options(arguments, options.model);
  add_output_options(arguments, options.output, formats);
}

}  // namespace

extern const Command reproduce{
    .name = "reproduce",
    .summary = "Repeat a paper's experiment and show the published figures beside it",
    .group = "Use a model",
    .setup = set_up<declare, run>};

}  // namespace headwater
