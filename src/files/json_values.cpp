#include "files/json_values.h"

#include <limits>

namespace headwater {

double number_in_json(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

std::vector<double> numbers_in_json(const Json& json) {
  std::vector<double> all;
  for (const Json& one : json) all.push_back(number_in_json(one));
  return all;
}

std::vector<std::pair<std::string, std::string>> pairs_in_json(const Json& json) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [key, value] : json.items()) pairs.emplace_back(key, value.get<std::string>());
  return pairs;
}

namespace {

void append_cells(const Json& json, std::size_t depth, std::vector<Index>& shape,
                  std::vector<double>& cells) {
  if (!json.is_array()) {
    if (depth != shape.size())
      throw FormatError("expected lists as deep as those before them, found a number");
    cells.push_back(number_in_json(json));
    return;
  }
  if (depth == shape.size() && !cells.empty())
    throw FormatError("expected numbers as those before them, found a list");
  if (depth == shape.size()) shape.push_back(static_cast<Index>(json.size()));
  if (shape[depth] != static_cast<Index>(json.size()))
    throw FormatError(
        fmt::format("expected lists of {} as those before it, found one of {}", shape[depth], json.size()));
  for (const Json& one : json) append_cells(one, depth + 1, shape, cells);
}

}  // namespace

Tensor tensor_in_json(const Json& json, DType dtype) {
  if (json.is_null()) return {};
  std::vector<Index> shape;
  std::vector<double> cells;
  append_cells(json, 0, shape, cells);
  const Shape made(shape);
  if (made.elements() != static_cast<Index>(cells.size()))
    throw FormatError(
        fmt::format("expected {} numbers for {}, found {}", made.elements(), made.str(), cells.size()));
  return Tensor::of(made, cells, dtype);
}

std::vector<Check> checks_in_json(const Json& json) {
  std::vector<Check> checks;
  for (const Json& one : json)
    checks.push_back(
        {one.at("name"), one.at("passed"), number_in_json(one.at("value")), number_in_json(one.at("bound"))});
  return checks;
}

RunRecord record_in_json(const Json& json) {
  RunRecord record;
  record.version = json.at("version");
  record.model = json.at("model");
  record.commit = json.at("commit");
  record.model_type = json.at("model_type");
  record.architecture = json.at("architecture");
  record.weights_sha256 = json.at("weights_sha256");
  record.tokenizer_sha256 = json.at("tokenizer_sha256");
  record.dtype = json.at("dtype");
  record.threads = json.at("threads");
  record.kernels = pairs_in_json(json.at("kernels"));
  record.seconds = number_in_json(json.at("seconds"));
  return record;
}

}  // namespace headwater
