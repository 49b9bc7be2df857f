// Rankings of heads, pruning curves, triggers, evaluations, identifiability, tests and trees as JSON that ends with the
// record and the command of their run, and what is drawn of them back from it.
#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "files/record_json.h"
#include "files/report_reader.h"
#include "files/result_checks.h"
#include "files/result_fields.h"
#include "result/many_inputs.h"

namespace headwater {

namespace {

constexpr int most_layers = 4096;  // the limit for models

template <class T>
std::string result_json(const T& report, const std::string& command) {
  return result_json(FieldWriter::json_of_value(report), report.record, command);
}

template <class T>
ReadResult<T> read_result(const Json& json, const std::string& where, const char* schema) {
  return read_as(json, where, schema, [&] {
    ReadResult<T> made;
    FieldReader v(json, whole_file);
    describe(v, made.report);
    v("record", made.report.record);
    v("command", made.command);
    require_drawable(made.report);
    return made;
  });
}

}  // namespace

std::vector<std::vector<double>> rows_of_heads(const HeadImportance& ranking) {
  std::vector<std::vector<double>> rows;
  for (int l = 0; l < ranking.layers; ++l) {
    const auto begin = ranking.scores.begin() + static_cast<std::ptrdiff_t>(l) * ranking.heads;
    rows.emplace_back(begin, begin + ranking.heads);
  }
  return rows;
}

void place_rows(const std::vector<std::vector<double>>& rows, HeadImportance& ranking) {
  if (rows.empty() || rows.front().empty() || rows.size() > most_layers)
    throw FormatError("scores: expected a row per layer, found another shape");
  ranking.layers = static_cast<int>(rows.size());
  ranking.heads = static_cast<int>(rows.front().size());
  for (const std::vector<double>& row : rows) {
    if (row.size() != rows.front().size())
      throw FormatError(fmt::format("scores: expected lists of {} as those before it, found one of {}",
                                    rows.front().size(), row.size()));
    ranking.scores.insert(ranking.scores.end(), row.begin(), row.end());
  }
}

std::string heads_json(std::span<const HeadImportance> rankings, const std::string& command) {
  return result_json(HeadRankings{{rankings.begin(), rankings.end()}, record_of(rankings)}, command);
}

std::string curves_json(const PruningReport& report, const std::string& command) {
  return result_json(report, command);
}

std::string triggers_json(const TriggerReport& report, const std::string& command) {
  return result_json(report, command);
}

std::string evaluate_json(const EvaluateReport& report, const std::string& command) {
  return result_json(report, command);
}

std::string identify_json(const IdentifyReport& report, const std::string& command) {
  return result_json(report, command);
}

std::string identify_jsonl(const IdentifyReport& report) {
  std::string text;
  for (const IdentifyCell& cell : report.cells) text += FieldWriter::json_of_value(cell).dump() + "\n";
  return text;
}

std::string check_json(const ModelTest& test, const std::string& command) {
  return result_json(test, command);
}

std::string tree_json(const GrownTree& grown) {
  return result_json(FieldWriter::json_of_value(grown), grown.report.record, grown.command);
}

std::string to_json(const TreeReport& made, const std::string& command) {
  return tree_json(grown(made, command));
}

GrownTree read_tree(const Json& json, const std::string& where) {
  return read_as(json, where, tree_schema, [&] {
    GrownTree made;
    FieldReader v(json, whole_file);
    describe(v, made);
    v("record", made.report.record);
    v("command", made.command);
    const int count = static_cast<int>(made.tokens.size());
    if (made.tree.root < 0 || made.tree.root >= count)
      throw FormatError(fmt::format("root: expected one of {} tokens, found {}", count, made.tree.root));
    int& layers = made.report.model.last().layers;
    for (const TreeEdge& edge : made.tree.edges) {
      for (const int token : {edge.parent, edge.child})
        if (token < 0 || token >= count || edge.layer < 0 || edge.layer >= most_layers)
          throw FormatError(
              fmt::format("edges: expected tokens below {} and layers below {}, found {} and {}", count,
                          most_layers, token, edge.layer));
      layers = std::max(layers, edge.layer + 1);
    }
    return made;
  });
}

ReadResult<std::vector<HeadImportance>> read_heads(const Json& json, const std::string& where) {
  return read_as(json, where, heads_schema, [&] {
    ReadResult<std::vector<HeadImportance>> made;
    HeadRankings found;
    FieldReader v(json, whole_file);
    describe(v, found);
    v("record", found.record);
    v("command", made.command);
    made.report = std::move(found.rankings);
    for (HeadImportance& ranking : made.report) ranking.record = found.record;
    return made;
  });
}

ReadResult<PruningReport> read_pruning(const Json& json, const std::string& where) {
  return read_result<PruningReport>(json, where, pruning_schema);
}

ReadResult<EvaluateReport> read_evaluation(const Json& json, const std::string& where) {
  return read_result<EvaluateReport>(json, where, "");
}

}  // namespace headwater
