// Values are held against NumPy in src/mixing/norms_test.cpp and tests/golden/norm_goldens_test.cpp; here
// stands what ALTI itself promises.
#include <cmath>

#include <gtest/gtest.h>

#include "methods/method.h"
#include "support/sine_model.h"

namespace headwater {
namespace {

using testing::SineModel;

Attribution explain(const Model& model, const std::map<std::string, std::string>& options,
                    std::vector<double>* progress = nullptr) {
  Study study(model, Batch{.ids = {{4, 5, 6}}}, {});
  if (progress != nullptr) study.on_progress = [progress](double done) { progress->push_back(done); };
  const Method& method = find_method("alti");
  return method.run(study, MethodOptions(method.name, method.options, options));
}

TEST(Alti, RowsAreSharesAndEveryPromiseIsMeasured) {
  for (const bool pre_norm : {false, true}) {
    const Attribution result = explain(SineModel(pre_norm), {});
    ASSERT_EQ(result.checks.size(), pre_norm ? 5U : 4U);
    for (const Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name;
    EXPECT_EQ(result.notes[0].find("The largest raw weight is"), 0U);
    EXPECT_NE(result.notes[1].find("Raw row sums lie between"), std::string::npos);
  }
}

// s_i of the sample is √(4/3) larger at D = 4: parts and output shrink by the same factor but β does not, so
// the shares move a little; 1e-6 on each of four components moves them by next to nothing.
TEST(Alti, PublishedQuirksAreNamedAndSmall) {
  const SineModel model(false);
  const Attribution ours = explain(model, {}), shifted = explain(model, {{"compat", "alti"}}),
                    sample = explain(model, {{"compat", "alti_nmt"}});
  double by_shift = 0, by_sample = 0;
  for (Index i = 0; i < 18; ++i) {
    by_shift = std::max(by_shift, std::abs(ours.scores().at(i) - shifted.scores().at(i)));
    by_sample = std::max(by_sample, std::abs(ours.scores().at(i) - sample.scores().at(i)));
  }
  EXPECT_GT(by_shift, 1e-9);
  EXPECT_LT(by_shift, 1e-5);
  EXPECT_GT(by_sample, 1e-4);
  EXPECT_LT(by_sample, 1e-1);
}

TEST(Alti, SaysHowFarItIs) {
  std::vector<double> progress;
  explain(SineModel(false), {}, &progress);
  EXPECT_EQ(progress, (std::vector<double>{.5, 1}));
}

}  // namespace
}  // namespace headwater
