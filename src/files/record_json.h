// The run record and the command that repeats a run, as parts of JSON files.
#pragma once

#include <string>
#include <vector>

#include <headwater/identify.h>
#include <headwater/report.h>

#include "base/json_fwd.h"
#include "result/grown_tree.h"

namespace headwater {

// Adds "record" and "command" to a result's JSON.
void add_record(OrderedJson& json, const RunRecord& record, const std::string& command);
// A result as a JSON file that ends with both.
std::string result_json(OrderedJson json, const RunRecord& record, const std::string& command);
// The metadata of a picture for programs: checks, record and command.
std::string provenance_json(const std::vector<Check>& checks, const RunRecord& record,
                            const std::string& command);

// A tree, and the cells of an identifiability run one by one; formats.h has the others.
std::string tree_json(const GrownTree& grown);
std::string identify_jsonl(const IdentifyReport& report);

}  // namespace headwater
