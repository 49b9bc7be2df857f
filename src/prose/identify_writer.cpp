#include "prose/identify_writer.h"

#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/strings.h"
#include "prose/table.h"
#include "result/many_inputs.h"

namespace headwater {
namespace {

constexpr Counted both_counts[] = {Counted::All, Counted::Content};

// One row per state, one column per map and distance, then the anisotropy.
DocumentTable state_table(const IdentifyReport& report, bool control, MatchRule match, Counted counted) {
  DocumentTable table{.header = {"state", "after"}, .rows = {}, .right = "rl"};
  for (const int state : report.states) {
    std::vector<DocumentCell> row{std::to_string(state), after(state)};
    for (const IdentifyCell& cell : report.cells) {
      if (cell.control != control || cell.state != state || cell.trained_on != state) continue;
      if (state == report.states.front())
        table.add_number_column(fmt::format("{} {}", name_of(cell.map), name_of(cell.distance)));
      const TokenRate& rate = chosen(cell.rates, match, counted);
      row.emplace_back(fmt::format("{} [{}, {}]", percent_cell(rate.rate), percent_cell(rate.low),
                                   percent_cell(rate.high)));
    }
    for (const Anisotropy& one : report.anisotropy)
      if (one.control == control && one.state == state)
        row.emplace_back(fmt::format("{:.3f}", one.mean_cosine));
    table.rows.push_back(std::move(row));
  }
  table.add_number_column("pair cosine");
  return table;
}

// Each cell was trained on the row's state and tested on the column's.
DocumentTable across_table(const IdentifyReport& report, TokenMap map, TokenDistance distance,
                           MatchRule match) {
  DocumentTable table{.header = {"trained on"}, .rows = {}, .right = "r"};
  for (const int state : report.states) table.add_number_column(fmt::format("on {}", state));
  for (const int trained_on : report.states) {
    std::vector<DocumentCell> row{std::to_string(trained_on)};
    for (const IdentifyCell& cell : report.cells)
      if (!cell.control && cell.map == map && cell.distance == distance && cell.trained_on == trained_on)
        row.emplace_back(percent_cell(chosen(cell.rates, match, Counted::All).rate));
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_across_tables(Document& document, const IdentifyReport& report, MatchRule match) {
  for (const IdentifyCell& cell : report.cells) {
    if (cell.control || cell.trained_on != report.states.front() || cell.state != report.states.back() ||
        cell.state == cell.trained_on)
      continue;
    document.parts.emplace_back(DocumentLine{});
    document.parts.emplace_back(DocumentLine{fmt::format("{} {}, trained on one state and tested on another",
                                                         name_of(cell.map), name_of(cell.distance))});
    document.parts.emplace_back(across_table(report, cell.map, cell.distance, match));
  }
}

std::string identify_csv(const IdentifyReport& report) {
  std::string text = "model,map,distance,trained_on,state,after,tokens,match,rate,low,high,chance\n";
  for (const IdentifyCell& cell : report.cells)
    for (const Counted counted : both_counts)
      for (const MatchRule match : {MatchRule::Id, MatchRule::Position}) {
        const TokenRate& rate = chosen(cell.rates, match, counted);
        if (!std::isfinite(rate.rate)) continue;
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", cell.control ? "untrained" : "trained",
                            name_of(cell.map), name_of(cell.distance), cell.trained_on, cell.state,
                            after(cell.state), counted == Counted::All ? "all" : "content",
                            match == MatchRule::Id ? "id" : "position", rate.rate, rate.low, rate.high,
                            chosen(report.chance, match, counted));
      }
  return text;
}

}  // namespace

Document identify_document(const IdentifyReport& report, MatchRule match, const std::string& command) {
  Document document{
      .title = fmt::format("Tokens identified, % [95 % interval], by {}; candidates: {}; target: {}",
                           match == MatchRule::Id ? "id" : "position",
                           report.pool == TokenPool::Sentence ? "the same text" : "the whole vocabulary",
                           name_of(report.target)),
      .record = report.record,
      .command = command};
  const auto add_line = [&](std::string text) { document.parts.emplace_back(DocumentLine{std::move(text)}); };
  add_line(document.title);
  add_line(fmt::format("{} texts, {} tokens; split by text {}/{}/{}, seed {}{}; tested {} texts, {} tokens",
                       report.texts, report.tokens, report.train_texts, report.validation_texts,
                       report.test_texts, report.seed,
                       report.folds > 1 ? fmt::format(", {} folds", report.folds) : "", report.tested_texts,
                       report.tested_tokens));
  bool untrained = false;
  for (const IdentifyCell& cell : report.cells) untrained = untrained || cell.control;
  for (const Counted counted : both_counts) {
    add_line("");
    add_line(fmt::format("{}: chance {} %", counted == Counted::All ? "All tokens" : "Without special tokens",
                         percent_cell(chosen(report.chance, match, counted))));
    document.parts.emplace_back(state_table(report, false, match, counted));
    if (!untrained) continue;
    add_line("the same architecture, untrained");
    document.parts.emplace_back(state_table(report, true, match, counted));
  }
  add_across_tables(document, report, match);
  add_line("");
  document.parts.emplace_back(DocumentChecks{report.checks, report.notes});
  document.json = [=] { return identify_json(report, command); };
  document.csv = [=] { return identify_csv(report); };
  return document;
}

}  // namespace headwater
