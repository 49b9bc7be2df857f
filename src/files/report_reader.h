// Reads results back from their JSON, so that pictures can be drawn without running a model.
#pragma once

#include <string>
#include <vector>

#include <headwater/evaluate.h>
#include <headwater/heads.h>
#include <headwater/report.h>
#include <headwater/tree.h>

#include "base/json_fwd.h"

namespace headwater {

// A result and the command that repeats it. The report has everything that to_json writes, except the
// request, whose view was applied when it was written, and the rows that the output was read from, which maps
// contain.
struct ReadReport {
  Report report;
  std::string command;
};
struct ReadTree {
  Tree tree;
  Report report;  // text, target, record, and the number of layers that the tree reaches
  std::vector<std::string> tokens;
  std::vector<Check> checks;
  std::string command;
};
struct ReadHeads {
  std::vector<HeadImportance> rankings;
  std::string command;
};
struct ReadPruning {
  PruningReport report;
  std::string command;
};
struct ReadEvaluation {
  EvaluateReport report;
  std::string command;
};

// Each throws FormatError, with `where` and the key, for any other content.
ReadReport read_report(const Json& json, const std::string& where);
ReadTree read_tree(const Json& json, const std::string& where);
ReadHeads read_heads(const Json& json, const std::string& where);
ReadPruning read_pruning(const Json& json, const std::string& where);
ReadEvaluation read_evaluation(const Json& json, const std::string& where);

}  // namespace headwater
