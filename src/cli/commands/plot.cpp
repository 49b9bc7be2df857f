// `headwater plot`: a picture of a result that was kept as JSON, without running a model again.
#include <charconv>

#include <fmt/format.h>
#include <headwater/error.h>

#include "checkpoint/checkpoint.h"
#include "cli/commands/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/pictures.h"
#include "drawing/kept_figure.h"
#include "engine/places.h"
#include "image/image.h"

namespace headwater {
namespace {

constexpr const char* formats = "svg|pdf|png";

struct Options {
  std::string result, cache_dir, scale, head;
  int layer = -1;
  KeptFigure figure;
  OutputOptions output;
};

// The picture as the model saw it: its file read again, cut as the model's folder says.
std::string picture_seen(const Report& report, const std::string& cache_dir) {
  const ModelFolder folder =
      find_model(report.record.model, {.cache_dir = cache_dir, .shipped = shipped_model_folders()});
  return encode_png(ImageProcessor::load(folder.path)->crop(read_image(report.image)));
}

Index head_numbered(const std::string& text) {
  Index head = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), head);
  if (error != std::errc{} || end != text.data() + text.size() || head < 0)
    throw InputError(fmt::format("--head: expected a number or 'all', found '{}'", text));
  return head;
}

int run(const Options& options) {
  const std::string format = options.output.chosen_format(formats);
  KeptFigure figure = options.figure;
  figure.how.layer = options.layer;
  if (options.head == "all")
    figure.how.all_heads = true;
  else if (!options.head.empty())
    figure.how.head = head_numbered(options.head);
  if (!options.scale.empty()) figure.how.shared = options.scale == "shared";
  figure.picture = [&](const Report& report) { return picture_seen(report, options.cache_dir); };
  const std::string svg = figure_of_file(options.result, figure);
  Output output(options.output.path);
  return finish_with(output, format == "svg" ? svg : picture_of_svg(svg, format), options.output);
}

void declare(Arguments& arguments, Options& options) {
  arguments.add("result FILE", options.result, "JSON result of explain, tree, heads, prune or evaluate")
      .required();
  arguments.under("Figure")
      .add("--kind strip|grid|matrix|heads|flow|overlay|tree|curves", options.figure.kind,
           "Kind of figure (default: strip for a text, overlay for a picture, otherwise what the file holds)")
      .choices();
  arguments.under("Figure").add("--method,--methods METHOD", options.figure.how.method,
                                "Method to draw (default: the first that fits)");
  arguments.under("Figure").add(
      "--map NAME", options.figure.how.map,
      "Map of an encoder–decoder: encoder, decoder or cross; combined across layers: encoder, "
      "decoder_to_source or decoder_to_prefix (default: the last)");
  arguments.under("Figure")
      .add("--layer N", options.layer,
           "Layer of a matrix, heads, strip or overlay (default: the most informative); with grid and --head "
           "all, draw only this layer")
      .range(0, 4096);
  arguments.under("Figure").add(
      "--head N|all", options.head,
      "Head of a grid or matrix (default: the mean); for a grid also 'all': the mean and every head");
  arguments.under("Figure").add(
      "--row TOKEN", options.figure.how.row,
      "Token in which a flow ends, or its position (default: the one the output was read from)");
  arguments.under("Figure").add("--share X", options.figure.how.share,
                                "Share of every layer's weight to draw in a flow or heads, strongest first "
                                "(default 0.8 for flow, 0.4 for heads)");
  arguments.under("Figure").add("--residual X", options.figure.how.residual,
                                "Share of itself that a token keeps per layer of a flow (default: 0.5 for "
                                "attention alone, as in rollout, otherwise 0)");
  arguments.under("Figure")
      .add("--scale panel|shared", options.scale,
           "In a grid or matrix, one scale per layer or one for all (default: one for all unless a layer "
           "would be blank)")
      .choices();
  add_cache_dir_option(arguments, options.cache_dir);
  add_output_options(arguments, options.output, formats);
}

}  // namespace

extern const Command plot{.name = "plot",
                          .summary = "Draw a saved JSON result as SVG, PDF or PNG",
                          .group = "Use a model",
                          .setup = set_up<declare, run>};

}  // namespace headwater
