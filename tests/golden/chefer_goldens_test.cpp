// The relevance of Chefer, Gur & Wolf and its LRP baselines on checkpoints, against transformers' runs,
// torch's gradients and a relevance pass written op by op from the published rules (make_chefer_goldens.py).
#include <cmath>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/json.h"
#include "methods/method.h"
#include "support/golden_models.h"

namespace headwater {
namespace {

TEST(CheferGoldens, EqualTheRulesOpByOp) {
  const Json goldens = read_json_file(testing::golden_folder + "chefer.json");
  std::set<std::string> seen;
  for (const Json& golden : goldens) {
    const std::string name = golden["case"], method_name = golden["method"];
    SCOPED_TRACE(golden.dump());
    const testing::GoldenModel subject = testing::golden_model(name, DType::Float64);
    Study study(*subject.model, subject.batch, {});
    study.aim({.position = -1, .index = golden["target"]});
    const Method& method = find_method(method_name);
    const Attribution result =
        method.run(study, MethodOptions(method.name, method.options, golden["options"]));
    const std::vector<double> expected = golden["scores"];
    ASSERT_EQ(result.scores().size(), static_cast<Index>(expected.size()));
    for (Index i = 0; i < result.scores().size(); ++i) {
      const double one = expected[static_cast<std::size_t>(i)];
      // Differences of E's rows of 1e-12 stand on numbers of size 1; quotients by small sums magnify the
      // rest.
      EXPECT_NEAR(result.scores().at(i), one, 1e-12 + 1e-9 * std::abs(one)) << i;
    }
    seen.insert(name + " " + method_name);
  }
  EXPECT_EQ(seen.size(), 5U);
}

}  // namespace
}  // namespace headwater
