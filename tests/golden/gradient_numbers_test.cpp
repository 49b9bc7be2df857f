// The worked example of the gradient methods: the two-layer post-norm sine model with a classifier on token
// 0, its input as embeddings, and a mask row. The numbers come from an independent NumPy program.
#include <cmath>

#include <gtest/gtest.h>

#include "methods/method.h"
#include "ops/ops.h"
#include "support/sine_model.h"

namespace headwater {
namespace {

Tensor sines(const Shape& shape, double s, double scale) {
  std::vector<double> values;
  for (Index k = 0; k < shape.elements(); ++k)
    values.push_back(scale * std::sin(s + 1.7 * static_cast<double>(k)));
  return Tensor::of(shape, values);
}

// Ids 0, 1, 2 are the input's rows, 3 the mask.
class SineClassifier : public Model {
 public:
  SineClassifier() {
    info_ = body_.info();
    info_.task = Task::TextClassification;
    info_.labels = {"a", "b"};
    std::vector<double> rows = sines({3, 4}, 1, 1).to_doubles();
    const std::vector<double> mask = sines({4}, 80, 1).to_doubles();
    rows.insert(rows.end(), mask.begin(), mask.end());
    table_ = Tensor::of({4, 4}, rows);
    const Tensor w = sines({4, 2}, 70, .5);
    std::vector<double> turned;
    for (Index o = 0; o < 2; ++o)
      for (Index i = 0; i < 4; ++i) turned.push_back(w.at(i * 2 + o));
    head_ = {.weight = std::make_shared<Matrix>(Tensor::of({2, 4}, turned)), .bias = sines({2}, 70.1, .1)};
  }

 protected:
  Var forward(Tape& tape, const Batch& batch) const override {
    const Var stream = body_.blocks(scale(embed(tape, table_, batch.ids, Site::Embed), 1, Site::ResidPre));
    const std::vector<int> first(static_cast<std::size_t>(stream.value.dim(0)), 0);
    return linear(select(stream, first, Site::Pooled), head_, Site::Logits);
  }

 private:
  testing::SineModel body_{false};
  Tensor table_;
  LinearWeights head_;
};

Attribution explain(const std::string& name, const std::map<std::string, std::string>& options) {
  const SineClassifier model;
  Study study(model, Batch{.ids = {{0, 1, 2}}}, {});
  study.special_ids.mask = 3;
  study.aim({.position = -1, .index = 1});
  EXPECT_NEAR(study.logits().at(0), -.28842238, 5e-9);
  EXPECT_NEAR(study.logits().at(1), .1819071, 5e-9);
  const Method& method = find_method(name);
  Attribution result = method.run(study, MethodOptions(method.name, method.options, options));
  for (const Check& check : result.checks)
    EXPECT_TRUE(check.passed) << check.name << " " << check.value << " " << check.bound;
  return result;
}

void expect_scores(const Attribution& result, const std::vector<double>& expected, double tolerance = 5e-9) {
  ASSERT_EQ(result.scores().size(), 3);
  for (Index t = 0; t < 3; ++t)
    EXPECT_NEAR(result.scores().at(t), expected[static_cast<std::size_t>(t)], tolerance) << t;
}

TEST(GradientNumbers, Saliency) {
  expect_scores(explain("saliency", {}), {.34733102, .02135655, .00727234});
  expect_scores(explain("saliency", {{"reduction", "abs_sum"}}), {.05632033, .03356201, .01138607});
}

TEST(GradientNumbers, InputTimesGradient) {
  expect_scores(explain("input_x_gradient", {}), {-.01458966, -.00117392, -2.15e-6});
  expect_scores(explain("input_x_gradient", {{"reduction", "l2"}}), {.20709435, .00863923, .00553478});
}

TEST(GradientNumbers, IntegratedGradients) {
  const Attribution result =
      explain("integrated_gradients", {{"baseline", "zero"}, {"steps", "50"}, {"tolerance", "1e-6"}});
  expect_scores(result, {-.0769389, -.00991637, -.0069456});
  // The program's own gap, 2.5e-10, is that of its finite differences; ours are exact.
  EXPECT_LE(result.checks.at(0).value, 2.5e-10);
}

TEST(GradientNumbers, BlankingOut) {
  expect_scores(explain("occlusion", {{"quantity", "probability"}}), {.27764649, .0008082, -.00146931});
}

TEST(GradientNumbers, TheGapOfIntegratedGradientsFallsWithNodes) {
  double before = 1;
  for (const char* steps : {"2", "4", "8", "16", "32"}) {
    const Attribution result =
        explain("integrated_gradients", {{"baseline", "zero"}, {"steps", steps}, {"tolerance", "10"}});
    EXPECT_LT(result.checks.at(0).value, before) << steps;
    before = result.checks.at(0).value;
  }
  EXPECT_LT(before, 1e-5);
}

}  // namespace
}  // namespace headwater
