#include "files/record_json.h"

#include "files/schema.h"

namespace headwater {

void add_record(OrderedJson& json, const RunRecord& record, const std::string& command) {
  json["record"] = json_of(record);
  json["command"] = command;
}

std::string result_json(OrderedJson json, const RunRecord& record, const std::string& command) {
  add_record(json, record, command);
  return dump(json, 2) + "\n";
}

std::string provenance_json(const std::vector<Check>& checks, const RunRecord& record,
                            const std::string& command) {
  OrderedJson json{{"checks", json_of(checks)}};
  add_record(json, record, command);
  return dump(json, -1);
}

}  // namespace headwater
