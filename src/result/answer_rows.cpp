#include "result/answer_rows.h"

#include <fmt/format.h>
#include <headwater/error.h>

#include "result/rows.h"

namespace headwater {

std::vector<std::vector<double>> answer_by_layer(const Report& report, const Attribution& result) {
  std::vector<std::vector<double>> rows;
  if (result.scores().empty())
    throw Unsupported(
        fmt::format("{}: gives no score per token, and metrics measure those", name_of(result)));
  const Tensor all = answer_rows(report, result);
  for (Index layer = 0; layer < all.dim(0); ++layer) rows.push_back(all.rows(layer, 1).to_doubles());
  return rows;
}

std::vector<std::vector<double>> map_weights_by_layer(const Report& report, const Attribution& result) {
  std::vector<std::vector<double>> maps;
  if (!has_axis(result, Axis::Layer) || !has_axis(result, Axis::Query)) return maps;
  for (Index layer = 0; layer < layer_count(result); ++layer) {
    maps.emplace_back();
    for (Index query = 0; query < unit_count(report); ++query)
      for (const double weight : row_weights(report, result, layer, query)) maps.back().push_back(weight);
  }
  return maps;
}

}  // namespace headwater
