// Attention flow against networkx (make_flow_goldens.py) on 200 networks.
#include <cmath>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/json.h"
#include "numerics/flow.h"
#include "support/source_folder.h"

namespace headwater {
namespace {

Tensor read(const Json& matrices, double unit) {
  std::vector<double> cells;
  for (const Json& matrix : matrices)
    for (const Json& row : matrix)
      for (const Json& cell : row) cells.push_back(cell.get<double>() / unit);
  const auto L = static_cast<Index>(matrices.size()), T = static_cast<Index>(matrices[0].size());
  return Tensor::of({L, T, T}, cells);
}

TEST(FlowGoldens, EqualsNetworkx) {
  const Json goldens = read_json_file(HEADWATER_SOURCE_DIR "/tests/golden/flow.json");
  ASSERT_GE(goldens.size(), 200U);
  std::set<std::string> kinds;
  double worst = 0;
  for (std::size_t i = 0; i < goldens.size(); ++i) {
    const Json& golden = goldens[i];
    kinds.insert(golden["kind"].get<std::string>());
    const double unit = golden["unit"].get<double>();
    const Flow flow = attention_flow(read(golden["maps"], unit));
    const Tensor expected = read(golden["flow"], unit);
    ASSERT_EQ(flow.values.shape(), expected.shape());
    for (Index c = 0; c < expected.size(); ++c) {
      worst = std::max(worst, std::abs(flow.values.at(c) - expected.at(c)));
      ASSERT_LE(worst, 1e-9) << "case " << i << ", " << golden["kind"] << ", cell " << c;
      ASSERT_FALSE(std::isnan(flow.values.at(c)));
    }
    EXPECT_EQ(flow.bound_violation, 0);
    EXPECT_EQ(flow.audit_error, 0);
  }
  EXPECT_GE(kinds.size(), 9U);
  std::printf("flow: %zu networks, largest difference %.1e\n", goldens.size(), worst);
}

}  // namespace
}  // namespace headwater
