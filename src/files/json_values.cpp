#include "files/json_values.h"

namespace headwater {

namespace {

void append_cells(const Json& json, const FieldPath& path, std::size_t depth, std::vector<Index>& shape,
                  std::vector<double>& cells) {
  if (!json.is_array()) {
    if (depth != shape.size()) unexpected(path, "lists as deep as those before them", "a number");
    FieldReader::read(json, path, cells.emplace_back());
    return;
  }
  if (depth == shape.size() && !cells.empty()) unexpected(path, "numbers as those before them", "a list");
  if (depth == shape.size()) shape.push_back(static_cast<Index>(json.size()));
  if (shape[depth] != static_cast<Index>(json.size()))
    unexpected(path, fmt::format("lists of {} as those before it", shape[depth]),
               fmt::format("one of {}", json.size()));
  for (const Json& one : json) append_cells(one, path, depth + 1, shape, cells);
}

}  // namespace

void read_value(const Json& json, const FieldPath& path, Tensor& tensor) {
  if (json.is_null()) return;
  std::vector<Index> shape;
  std::vector<double> cells;
  append_cells(json, path, 0, shape, cells);
  const Shape made(shape);
  if (made.elements() != static_cast<Index>(cells.size()))
    unexpected(path, fmt::format("{} numbers for {}", made.elements(), made.str()),
               std::to_string(cells.size()));
  tensor = Tensor::of(made, cells, DType::Float64);
}

void write_value(OrderedJson& json, const Tensor& tensor) {
  if (tensor.rank() == 0) {
    json = tensor.empty() ? OrderedJson() : OrderedJson(tensor.at(0));
    return;
  }
  json = OrderedJson::array();
  for (Index i = 0; i < tensor.dim(0); ++i)
    write_value(json.emplace_back(), tensor.rows(i, 1).reshaped(tensor.shape().without_front()));
}

}  // namespace headwater
