#include "reproductions/reproduction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/error.h>

#include "base/nearest.h"
#include "files/record_json.h"
#include "files/schema.h"
#include "prose/provenance.h"
#include "prose/table.h"
#include "result/text_width.h"

namespace headwater {
namespace {

std::string_view word_for(Finding::Outcome outcome) {
  switch (outcome) {
    case Finding::Outcome::Holds:
      return "holds";
    case Finding::Outcome::Fails:
      return "does not hold";
    case Finding::Outcome::Unclear:
      break;
  }
  return "not decided";
}

std::string_view mark_for(Finding::Outcome outcome) {
  if (outcome == Finding::Outcome::Unclear) return "·";
  return outcome == Finding::Outcome::Holds ? "✓" : "✗";
}

std::string numbers_to_right(const FigureTable& table) {
  return "l" + std::string(table.header.empty() ? 0 : table.header.size() - 1, 'r');
}

std::string markdown_row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

}  // namespace

const Reproduction& find_reproduction(std::string_view name) {
  std::vector<std::string> names;
  for (const Reproduction* one : all_reproductions()) {
    if (one->name == name) return *one;
    names.emplace_back(one->name);
  }
  throw InputError(fmt::format("{}: expected a paper ({}), found none of them{}", name,
                               fmt::join(names, ", "), suggestion(name, names)));
}

std::string described(const ModelInfo& info) {
  return fmt::format("{}, {} layers of {} heads, width {}", info.architecture, info.last().layers,
                     info.last().heads, info.last().width);
}

std::string reproduced_text(const ReproducedReport& report, const std::string& command, int width) {
  const Reproduction& paper = report.reproduction;
  const auto wrapped_line = [&](const std::string& text, int first, int rest) {
    return paragraph(text, {.first = first, .rest = rest, .width = width});
  };
  std::string out = wrapped_line(std::string(paper.paper), 0, 2);
  out += wrapped_line(fmt::format("published with: {}", paper.published_with), 2, 4);
  for (const std::string& line : report.result.here) out += wrapped_line("here: " + line, 2, 4);
  for (const FigureTable& table : report.result.tables) {
    out += "\n" + wrapped_line(table.title, 0, 2);
    out += Table{.header = table.header, .rows = table.rows, .right = numbers_to_right(table)}.str();
    for (const std::string& note : table.notes) out += wrapped_line("· " + note, 2, 4);
  }
  out += "\nfindings\n";
  for (const Finding& finding : report.result.findings)
    out += wrapped_line(fmt::format("{} {}: {} ({})", mark_for(finding.outcome), finding.claim,
                                    word_for(finding.outcome), finding.evidence),
                        2, 4);
  return out + record_text(report.record, {.width = width}, command);
}

std::string reproduced_markdown(const ReproducedReport& report, const std::string& command) {
  const Reproduction& paper = report.reproduction;
  std::string out = fmt::format("**{}**\n\nPublished with: {}\n\n", paper.paper, paper.published_with);
  for (const std::string& line : report.result.here) out += fmt::format("- Here: {}\n", line);
  for (const FigureTable& table : report.result.tables) {
    out += fmt::format("\n{}\n\n", table.title) + markdown_row(table.header);
    std::vector<std::string> rule{"---"};
    rule.resize(table.header.size(), "---:");
    out += markdown_row(rule);
    for (const std::vector<std::string>& row : table.rows) out += markdown_row(row);
    if (!table.notes.empty()) out += "\n";
    for (const std::string& note : table.notes) out += fmt::format("- {}\n", note);
  }
  out += "\n| published finding | here | by |\n| --- | --- | --- |\n";
  for (const Finding& finding : report.result.findings)
    out += markdown_row({finding.claim, std::string(word_for(finding.outcome)), finding.evidence});
  return out + fmt::format("\n`{}`\n", command);
}

std::string reproduced_svg(const ReproducedReport& report, const std::string& command) {
  return map_panels_svg(report.result.picture.value(), report.record,
                        provenance_json({}, report.record, command));
}

std::string reproduced_json(const ReproducedReport& report, const std::string& command) {
  OrderedJson tables = OrderedJson::array(), findings = OrderedJson::array();
  for (const FigureTable& table : report.result.tables)
    tables.push_back(
        {{"title", table.title}, {"header", table.header}, {"rows", table.rows}, {"notes", table.notes}});
  for (const Finding& finding : report.result.findings)
    findings.push_back(
        {{"claim", finding.claim}, {"outcome", word_for(finding.outcome)}, {"evidence", finding.evidence}});
  OrderedJson json{{"paper", report.reproduction.name},
                   {"reference", report.reproduction.paper},
                   {"published_with", report.reproduction.published_with},
                   {"here", report.result.here},
                   {"tables", tables},
                   {"findings", findings}};
  add_record(json, report.record, command);
  return dump(json, 2) + "\n";
}

}  // namespace headwater
