// Reads results back from their JSON, so that pictures can be drawn without running a model.
#pragma once

#include <string>
#include <vector>

#include <headwater/evaluate.h>
#include <headwater/heads.h>
#include <headwater/report.h>

#include "base/json_fwd.h"
#include "result/grown_tree.h"

namespace headwater {

// A result and the command that repeats it. A report has everything that to_json writes, except the request, whose view
// was applied when it was written, and the rows that the output was read from, which maps contain.
template <class T>
struct ReadResult {
  T report;
  std::string command;
};

// Each throws FormatError, with `where` and the key, for any other content.
ReadResult<Report> read_report(const Json& json, const std::string& where);
// With the text, the target and the record of its report, and the number of layers that it reaches.
GrownTree read_tree(const Json& json, const std::string& where);
ReadResult<std::vector<HeadImportance>> read_heads(const Json& json, const std::string& where);
ReadResult<PruningReport> read_pruning(const Json& json, const std::string& where);
ReadResult<EvaluateReport> read_evaluation(const Json& json, const std::string& where);

}  // namespace headwater
