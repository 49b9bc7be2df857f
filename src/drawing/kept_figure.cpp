#include "drawing/kept_figure.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "base/files.h"
#include "base/json.h"
#include "drawing/charts.h"
#include "files/record_json.h"
#include "files/report_reader.h"
#include "methods/method.h"
#include "result/many_inputs.h"

namespace headwater {

namespace {

std::vector<Check> checks_in(const Report& report) {
  std::vector<Check> checks;
  for (const Attribution& result : report.attributions)
    for (Check check : result.checks) {
      check.name = name_of(result) + ": " + check.name;
      checks.push_back(std::move(check));
    }
  return checks;
}

std::string figure_kind(const Report& report, const std::string& asked) {
  return !asked.empty() ? asked : report.image.empty() ? "strip" : "overlay";
}

std::string drawn_report(const Json& json, const std::string& file, const KeptFigure& asked) {
  auto [report, command] = read_report(json, file);
  if (figure_kind(report, asked.kind) == "overlay" && !report.image.empty())
    report.picture = asked.picture(report);
  return figure_of_report(report, command, asked);
}

void require_kind(const KeptFigure& asked, std::string_view only) {
  if (!asked.kind.empty() && asked.kind != only)
    throw InputError(fmt::format("--kind: expected {} for this file, found '{}'", only, asked.kind));
}

// Other files that the program writes, which hold too much or too little for a drawing.
void refuse_other_kinds(const std::string& file) {
  constexpr const char* remedy =
      "plot draws one result that was written as JSON: headwater explain … -o RESULT.json";
  const auto ends = [&](std::initializer_list<std::string_view> endings) {
    return std::any_of(endings.begin(), endings.end(), [&](auto ending) { return file.ends_with(ending); });
  };
  if (ends({".npz", ".safetensors"}))
    throw InputError(
        fmt::format("{}: expected JSON, found arrays, which say too little for a drawing; {}", file, remedy));
  if (ends({".html", ".csv", ".tsv", ".svg", ".png", ".pdf"}))
    throw InputError(fmt::format("{}: expected JSON, found another format; {}", file, remedy));
  if (!ends({".jsonl", ".ndjson"})) return;
  std::ifstream lines(file);
  std::string line;
  int count = 0;
  while (count < 2 && std::getline(lines, line))
    if (line.find_first_not_of(" \t\r") != std::string::npos) ++count;
  if (count > 1)
    throw InputError(fmt::format(
        "{0}: expected one result, found several (JSON Lines); take one of them: sed -n 1p {0} > one.json",
        file));
}

}  // namespace

std::string figure_of_report(const Report& report, const std::string& command, const KeptFigure& asked) {
  const std::string kind = figure_kind(report, asked.kind);
  FigureOptions how = asked.how;
  if (const Method* method = method_named(how.method)) how.method = method->name;  // accepts any of its names
  for (const Figure& figure : figures())
    if (kind == figure.name)
      return figure.draw(report, how, provenance_json(checks_in(report), report.record, command));
  throw InputError(fmt::format(
      "--kind: expected strip, grid, matrix, heads, flow or overlay for an explanation, found '{}'", kind));
}

std::string figure_of_reports(std::span<const Report> measured, const std::string& kind) {
  const Report& first = measured.front();
  if (measured.size() == 1)
    return figure_of_report(viewed(first), reproduce_command(first),
                            {.kind = kind, .how = {}, .picture = {}});
  if (figure_kind(first, kind) != "overlay")
    throw InputError(fmt::format(
        "--target: expected one for a figure of a text, found {}; explain them one by one, or write html",
        measured.size()));
  std::vector<Check> checks;
  for (const Report& report : measured)
    for (Check& check : checks_in(report)) {
      check.name = fmt::format("{}: {}", report.target.label, check.name);
      checks.push_back(std::move(check));
    }
  return overlay_figure(measured, provenance_json(checks, first.record, reproduce_command(measured)));
}

std::string to_svg(const Report& report, const FigureFormat& format) {
  KeptFigure asked{.kind = format.kind, .how = {}, .picture = {}};
  asked.how.method = format.method;
  asked.how.layer = format.layer;
  return figure_of_report(viewed(report), reproduce_command(report), asked);
}

std::string figure_of_file(const std::string& file, const KeptFigure& asked) {
  if (!file_exists(file))
    throw InputError(fmt::format("{}: expected a result kept as JSON, found no file", file));
  refuse_other_kinds(file);
  return figure_of(read_json_file(file), file, asked);
}

std::string figure_of(const Json& json, const std::string& file, const KeptFigure& asked) {
  const bool has_schema = json.is_object() && json.contains("schema") && json.at("schema").is_string();
  const std::string schema = has_schema ? json.at("schema").get<std::string>() : "";
  if (schema.starts_with("headwater.report/")) return drawn_report(json, file, asked);
  if (schema.starts_with("headwater.tree/")) {
    require_kind(asked, "tree");
    return tree_svg(read_tree(json, file));
  }
  if (schema.starts_with("headwater.heads/")) {
    require_kind(asked, "heads");
    const auto read = read_heads(json, file);
    if (read.report.empty()) throw FormatError(file + ": expected a ranking of heads, found none");
    return heads_svg(read.report,
                     provenance_json(checks_of(read.report), record_of(read.report), read.command));
  }
  if (schema.starts_with("headwater.pruning/")) {
    require_kind(asked, "curves");
    const auto read = read_pruning(json, file);
    return pruning_svg(read.report, provenance_json(read.report.checks, read.report.record, read.command));
  }
  if (json.is_object() && json.contains("metrics") && json.contains("cells")) {
    require_kind(asked, "curves");
    const auto read = read_evaluation(json, file);
    return evaluate_svg(read.report, provenance_json({}, read.report.record, read.command));
  }
  throw FormatError(
      fmt::format("{}: expected a result of explain, tree, heads, prune or evaluate as JSON, found another "
                  "file; write one with --format json",
                  file));
}

}  // namespace headwater
