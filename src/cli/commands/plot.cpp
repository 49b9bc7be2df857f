// `headwater plot`: a picture of a result that was kept as JSON, without running a model again.
#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "base/files.h"
#include "base/json.h"
#include "checkpoint/checkpoint.h"
#include "cli/commands/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/pictures.h"
#include "engine/places.h"
#include "image/image.h"
#include "report/evaluate_writer.h"
#include "report/figure.h"
#include "report/heads_text.h"
#include "report/provenance.h"
#include "report/report_reader.h"
#include "report/tree_text.h"

namespace headwater {
namespace {

constexpr const char* formats = "svg|pdf|png";

struct Options {
  std::string result, kind, cache_dir, scale = "panel";
  int layer = -1, head = -1;
  FigureOptions figure;
  OutputOptions output;
};

std::vector<Check> checks_in(const Report& report) {
  std::vector<Check> checks;
  for (const Attribution& result : report.attributions)
    for (Check check : result.checks) {
      check.name = name_of(result) + ": " + check.name;
      checks.push_back(std::move(check));
    }
  return checks;
}

// The picture as the model saw it: its file read again, cut as the model's folder says.
std::string picture_seen(const Report& report, const std::string& cache_dir) {
  const ModelFolder folder =
      find_model(report.record.model, {.cache_dir = cache_dir, .shipped = shipped_model_folders()});
  return encode_png(ImageProcessor::load(folder.path)->crop(read_image(report.image)));
}

std::string drawn_report(const Json& json, const Options& options) {
  auto [report, command] = read_report(json, options.result);
  const std::string kind = !options.kind.empty() ? options.kind : report.image.empty() ? "strip" : "overlay";
  if (kind == "overlay" && !report.image.empty()) report.picture = picture_seen(report, options.cache_dir);
  FigureOptions how = options.figure;
  how.layer = options.layer;
  how.head = options.head;
  how.shared = options.scale == "shared";
  for (const Figure& figure : figures())
    if (kind == figure.name)
      return figure.draw(report, how, provenance_json(checks_in(report), report.record, command));
  throw InputError(fmt::format(
      "--kind: expected strip, grid, matrix, heads, flow or overlay for an explanation, found '{}'", kind));
}

void require_kind(const Options& options, std::string_view only) {
  if (!options.kind.empty() && options.kind != only)
    throw InputError(fmt::format("--kind: expected {} for this file, found '{}'", only, options.kind));
}

std::string drawn(const Options& options) {
  if (!file_exists(options.result))
    throw InputError(fmt::format("{}: expected a result kept as JSON, found no file", options.result));
  const Json json = read_json_file(options.result);
  const std::string schema = json.is_object() ? json.value("schema", "") : "";
  if (schema.starts_with("headwater.report/")) return drawn_report(json, options);
  if (schema.starts_with("headwater.tree/")) {
    require_kind(options, "tree");
    const ReadTree read = read_tree(json, options.result);
    return tree_svg({read.tree, read.report, read.tokens, read.checks, read.command});
  }
  if (schema.starts_with("headwater.heads/")) {
    require_kind(options, "heads");
    const ReadHeads read = read_heads(json, options.result);
    if (read.rankings.empty())
      throw FormatError(options.result + ": expected a ranking of heads, found none");
    return heads_svg(read.rankings,
                     provenance_json(checks_of(read.rankings), record_of(read.rankings), read.command));
  }
  if (schema.starts_with("headwater.pruning/")) {
    require_kind(options, "curves");
    const ReadPruning read = read_pruning(json, options.result);
    return pruning_svg(read.report, provenance_json(read.report.checks, read.report.record, read.command));
  }
  if (json.is_object() && json.contains("metrics") && json.contains("cells")) {
    require_kind(options, "curves");
    const ReadEvaluation read = read_evaluation(json, options.result);
    return evaluate_svg(read.report, provenance_json({}, read.report.record, read.command));
  }
  throw FormatError(
      fmt::format("{}: expected a result of explain, tree, heads, prune or evaluate as JSON, found another "
                  "file; write one with --format json",
                  options.result));
}

int run(const Options& options) {
  const std::string format = options.output.chosen_format(formats);
  const std::string svg = drawn(options);
  Output output(options.output.path);
  return finish_with(output, format == "svg" ? svg : picture_of_svg(svg, format), options.output);
}

void declare(Arguments& arguments, Options& options) {
  arguments.add("result FILE", options.result, "What explain, tree, heads, prune or evaluate wrote as JSON")
      .required();
  arguments.under("Figure")
      .add("--kind strip|grid|matrix|heads|flow|overlay|tree|curves", options.kind,
           "What is drawn (default: strip of a text, overlay of a picture, and what else a file has)")
      .choices();
  arguments.under("Figure").add("--method NAME", options.figure.method,
                                "Which result of the file (default: the first that fits)");
  arguments.under("Figure")
      .add("--map encoder|decoder|cross", options.figure.map, "Of encoder–decoders: which kind of attention")
      .choices();
  arguments.under("Figure")
      .add("--layer N", options.layer,
           "Of matrix, heads and strip: which layer (default: the one that says most)")
      .range(0, 4096);
  arguments.under("Figure")
      .add("--head N", options.head, "Of grid and matrix: one head (default: the mean)")
      .range(0, 4096);
  arguments.under("Figure").add(
      "--row TOKEN", options.figure.row,
      "Of flow: the token it ends in, or its position (default: the one the output was read from)");
  arguments.under("Figure").add("--share X", options.figure.share,
                                "Of flow: how much of every layer is drawn, strongest first (default 0.8)");
  arguments.under("Figure").add(
      "--residual X", options.figure.residual,
      "Of flow: what every token keeps of itself in a layer (default: 0.5 for attention alone, as rollout "
      "has it, else 0)");
  arguments.under("Figure")
      .add("--scale panel|shared", options.scale,
           "Of grid and heads: a scale for every panel, or one for all (default panel)")
      .choices();
  add_cache_dir_option(arguments, options.cache_dir);
  add_output_options(arguments, options.output, formats);
}

}  // namespace

extern const Command plot{.name = "plot",
                          .summary = "A picture of a result that was kept as JSON: SVG, PDF or PNG",
                          .group = "Use a model",
                          .setup = set_up<declare, run>};

}  // namespace headwater
