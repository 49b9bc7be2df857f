#include "report/kept_figure.h"

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/json.h"
#include "report/evaluate_writer.h"
#include "report/heads_text.h"
#include "report/provenance.h"
#include "report/report_reader.h"
#include "report/tree_text.h"

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

std::string drawn_report(const Json& json, const std::string& file, const KeptFigure& asked) {
  auto [report, command] = read_report(json, file);
  const std::string kind = !asked.kind.empty() ? asked.kind : report.image.empty() ? "strip" : "overlay";
  if (kind == "overlay" && !report.image.empty()) report.picture = asked.picture(report);
  for (const Figure& figure : figures())
    if (kind == figure.name)
      return figure.draw(report, asked.how, provenance_json(checks_in(report), report.record, command));
  throw InputError(fmt::format(
      "--kind: expected strip, grid, matrix, heads, flow or overlay for an explanation, found '{}'", kind));
}

void require_kind(const KeptFigure& asked, std::string_view only) {
  if (!asked.kind.empty() && asked.kind != only)
    throw InputError(fmt::format("--kind: expected {} for this file, found '{}'", only, asked.kind));
}

}  // namespace

std::string figure_of_file(const std::string& file, const KeptFigure& asked) {
  if (!file_exists(file))
    throw InputError(fmt::format("{}: expected a result kept as JSON, found no file", file));
  return figure_of(read_json_file(file), file, asked);
}

std::string figure_of(const Json& json, const std::string& file, const KeptFigure& asked) {
  const bool has_schema = json.is_object() && json.contains("schema") && json.at("schema").is_string();
  const std::string schema = has_schema ? json.at("schema").get<std::string>() : "";
  if (schema.starts_with("headwater.report/")) return drawn_report(json, file, asked);
  if (schema.starts_with("headwater.tree/")) {
    require_kind(asked, "tree");
    const ReadTree read = read_tree(json, file);
    return tree_svg({read.tree, read.report, read.tokens, read.checks, read.command});
  }
  if (schema.starts_with("headwater.heads/")) {
    require_kind(asked, "heads");
    const ReadHeads read = read_heads(json, file);
    if (read.rankings.empty()) throw FormatError(file + ": expected a ranking of heads, found none");
    return heads_svg(read.rankings,
                     provenance_json(checks_of(read.rankings), record_of(read.rankings), read.command));
  }
  if (schema.starts_with("headwater.pruning/")) {
    require_kind(asked, "curves");
    const ReadPruning read = read_pruning(json, file);
    return pruning_svg(read.report, provenance_json(read.report.checks, read.report.record, read.command));
  }
  if (json.is_object() && json.contains("metrics") && json.contains("cells")) {
    require_kind(asked, "curves");
    const ReadEvaluation read = read_evaluation(json, file);
    return evaluate_svg(read.report, provenance_json({}, read.report.record, read.command));
  }
  throw FormatError(
      fmt::format("{}: expected a result of explain, tree, heads, prune or evaluate as JSON, found another "
                  "file; write one with --format json",
                  file));
}

}  // namespace headwater
