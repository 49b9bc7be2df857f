#include <cmath>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "methods/method.h"
#include "support/fakes.h"

namespace headwater {
namespace {

using testing::make_fixture;
using testing::some_pattern;

Attribution explain(bool causal, const std::map<std::string, std::string>& options) {
  auto fixture = make_fixture(causal ? Task::TextGeneration : Task::TextClassification);
  if (causal) fixture.model->logits = Tensor::zeros({4, 12}, DType::Float64);
  fixture.model->patterns = {some_pattern(2, 4, 0, causal), some_pattern(2, 4, 1, causal)};
  Encoding encoding = fixture.loaded.tokenizer->encode("not bad");
  Batch batch{.ids = {encoding.ids()}};
  const Study study(*fixture.model, std::move(batch), testing::units_of_text(encoding));
  const Method& method = find_method("attention");
  return method.run(study, MethodOptions(method.name, method.options, options));
}

TEST(Attention, IsThePatternOfEveryLayerAndHead) {
  const Attribution result = explain(false, {});
  EXPECT_EQ(result.axes(), (Axes{Axis::Layer, Axis::Head, Axis::Query, Axis::Key}));
  ASSERT_EQ(result.scores().shape(), (Shape{2, 2, 4, 4}));
  for (int layer = 0; layer < 2; ++layer) {
    const Tensor pattern = some_pattern(2, 4, layer, false);
    for (Index i = 0; i < 32; ++i) EXPECT_EQ(result.scores().at(layer * 32 + i), pattern.at(i));
  }
  ASSERT_EQ(result.checks.size(), 2U);
  for (const Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name;
}

TEST(Attention, HeadsAreFusedByMeanOrMaximum) {
  const Tensor pattern = some_pattern(2, 4, 1, false);
  const Attribution mean = explain(false, {{"heads", "mean"}}), largest = explain(false, {{"heads", "max"}});
  ASSERT_EQ(mean.scores().shape(), (Shape{2, 4, 4}));
  EXPECT_EQ(mean.axes(), (Axes{Axis::Layer, Axis::Query, Axis::Key}));
  for (Index i = 0; i < 16; ++i) {
    EXPECT_NEAR(mean.scores().at(16 + i), (pattern.at(i) + pattern.at(16 + i)) / 2, 1e-15);
    EXPECT_EQ(largest.scores().at(16 + i), std::max(pattern.at(i), pattern.at(16 + i)));
  }
  EXPECT_EQ(mean.checks.front().name, "rows sum to 1");
  EXPECT_EQ(largest.checks.front().name, "smallest weight is at least 0")
      << "a maximum's rows need not sum to 1";
  EXPECT_THROW(explain(false, {{"heads", "some"}}), InputError);
}

TEST(Attention, CausalMapsHoldNaNExactlyAboveTheDiagonal) {
  const Attribution result = explain(true, {});
  ASSERT_EQ(result.checks.size(), 3U);
  EXPECT_EQ(result.checks[2].name, "no weight on later tokens");
  EXPECT_TRUE(result.checks[2].passed);
  for (Index i = 0; i < result.scores().size(); ++i)
    EXPECT_EQ(std::isnan(result.scores().at(i)), i % 4 > i / 4 % 4) << i;
}

}  // namespace
}  // namespace headwater
