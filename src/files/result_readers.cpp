// Trees, head rankings, pruning curves and evaluations, from their JSON.
#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

#include "files/json_values.h"
#include "files/report_reader.h"
#include "files/result_checks.h"

namespace headwater {

namespace {

constexpr int most_layers = 4096;  // the limit for models

}  // namespace

ReadTree read_tree(const Json& json, const std::string& where) {
  return read_as(json, where, "headwater.tree/1", [&] {
    ReadTree made;
    made.tokens = json.at("tokens").get<std::vector<std::string>>();
    made.checks = checks_in_json(json.at("checks"));
    made.command = json.at("command");
    made.report.text = json.at("text");
    made.report.target.label = json.at("target");
    made.report.record = record_in_json(json.at("record"));
    made.tree.root = json.at("root");
    made.tree.kept = number_in_json(json.at("kept"));
    const int count = static_cast<int>(made.tokens.size());
    if (made.tree.root < 0 || made.tree.root >= count)
      throw FormatError(fmt::format("root: expected one of {} tokens, found {}", count, made.tree.root));
    for (const Json& one : json.at("edges")) {
      made.tree.edges.push_back(
          {one.at("parent"), one.at("child"), one.at("layer"), number_in_json(one.at("score"))});
      const TreeEdge& edge = made.tree.edges.back();
      for (const int token : {edge.parent, edge.child})
        if (token < 0 || token >= count || edge.layer < 0 || edge.layer >= most_layers)
          throw FormatError(
              fmt::format("edges: expected tokens below {} and layers below {}, found {} and {}", count,
                          most_layers, token, edge.layer));
      made.report.model.last().layers = std::max(made.report.model.last().layers, edge.layer + 1);
    }
    return made;
  });
}

ReadHeads read_heads(const Json& json, const std::string& where) {
  return read_as(json, where, "headwater.heads/1", [&] {
    ReadHeads made;
    made.command = json.at("command");
    for (const Json& one : json.at("rankings")) {
      HeadImportance ranking;
      ranking.ranking = one.at("ranking");
      ranking.inputs = one.at("inputs");
      ranking.unresolved = one.at("unresolved");
      const Tensor scores = tensor_in_json(one.at("scores"), DType::Float64);
      if (scores.rank() != 2 || scores.shape().elements() == 0)
        throw FormatError("scores: expected a row per layer, found another shape");
      ranking.layers = static_cast<int>(scores.dim(0));
      ranking.heads = static_cast<int>(scores.dim(1));
      ranking.scores = scores.to_doubles();
      ranking.checks = checks_in_json(one.at("checks"));
      ranking.record = record_in_json(json.at("record"));
      made.rankings.push_back(std::move(ranking));
    }
    return made;
  });
}

ReadPruning read_pruning(const Json& json, const std::string& where) {
  return read_as(json, where, "headwater.pruning/1", [&] {
    ReadPruning made;
    made.command = json.at("command");
    made.report.inputs = json.at("inputs");
    made.report.checks = checks_in_json(json.at("checks"));
    made.report.record = record_in_json(json.at("record"));
    for (const Json& one : json.at("curves")) {
      PruningCurve curve{one.at("ranking"), one.at("scope"), one.at("first"),
                         numbers_in_json(one.at("rates")), numbers_in_json(one.at("accuracy"))};
      curve.lowest = numbers_in_json(value_in_json(one, "lowest", Json::array()));
      curve.highest = numbers_in_json(value_in_json(one, "highest", Json::array()));
      made.report.curves.push_back(std::move(curve));
    }
    require_drawable(made.report);
    return made;
  });
}

ReadEvaluation read_evaluation(const Json& json, const std::string& where) {
  return read_as(json, where, "", [&] {
    ReadEvaluation made;
    made.command = json.at("command");
    EvaluateReport& report = made.report;
    report.record = record_in_json(json.at("record"));
    report.examples = json.at("examples");
    report.left_out = json.at("left_out");
    report.level = json.at("level");
    report.resamples = json.at("resamples");
    report.seed = json.at("seed");
    report.methods = json.at("methods").get<std::vector<std::string>>();
    report.notes = json.at("notes").get<std::vector<std::string>>();
    using Better = EvaluationMetric::Better;
    for (const Json& one : json.at("metrics")) {
      const std::string better = one.at("better");
      report.metrics.push_back({one.at("name"), pairs_in_json(one.at("options")),
                                better == "higher"  ? Better::Higher
                                : better == "lower" ? Better::Lower
                                                    : Better::Neither,
                                one.at("curve_over")});
    }
    for (const Json& one : json.at("cells")) {
      EvaluationCell cell{one.at("metric"),
                          one.at("method"),
                          number_in_json(one.at("value")),
                          number_in_json(one.at("low")),
                          number_in_json(one.at("high")),
                          one.at("examples")};
      if (one.contains("curve")) {
        const Json& curve = one.at("curve");
        cell.x = numbers_in_json(curve.at("x"));
        cell.curve = numbers_in_json(curve.at("value"));
        cell.lows = numbers_in_json(curve.at("low"));
        cell.highs = numbers_in_json(curve.at("high"));
      }
      report.cells.push_back(std::move(cell));
    }
    for (const Json& one : json.at("pairs"))
      report.pairs.push_back({one.at("metric"), one.at("first"), one.at("second"),
                              number_in_json(one.at("difference")), number_in_json(one.at("p")),
                              number_in_json(one.at("adjusted_p")), one.at("examples")});
    require_drawable(report);
    return made;
  });
}

}  // namespace headwater
