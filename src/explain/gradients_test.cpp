// The check of a gradient against finite differences: right where the gradient is, in either type, and only
// there.
#include "explain/gradients.h"

#include <cmath>

#include <gtest/gtest.h>

#include "support/random_models.h"
#include "support/tiny_models.h"

namespace headwater {
namespace {

// Every draw with a study of it, aimed at an output of its last token.
template <class See>
void for_random_models(DType dtype, int count, const See& see) {
  for (const testing::Draw& draw : testing::draws(count, 300)) {
    SCOPED_TRACE(describe(draw));
    const std::unique_ptr<Model> model = random_model(draw, dtype);
    Study study(*model, testing::random_batch(model->info(), 1, 6, draw.seed), {});
    study.aim({.position = study.logits().rank() == 3 ? study.size() - 1 : -1, .index = 0});
    see(study, Objective(study, Quantity::Logit));
  }
}

Tensor times(const Tensor& gradient, double factor, Index first, Index last) {
  std::vector<double> values = gradient.to_doubles();
  for (Index i = first; i < last; ++i) values[static_cast<std::size_t>(i)] *= factor;
  return Tensor::of(gradient.shape(), values, gradient.dtype());
}

TEST(CheckGradient, PassesWhereTheGradientIsRight) {
  for (const DType dtype : {DType::Float32, DType::Float64})
    for_random_models(dtype, 68, [](const Study& study, const Objective& objective) {
      const Site at = Site::ResidPre;
      const Check check = check_gradient(study, objective, at, gradient_of(study, objective, at));
      EXPECT_TRUE(check.passed) << check.value << " against " << check.bound;
      EXPECT_LE(check.bound, 0.1) << "a check that could not fail";
    });
}

TEST(CheckGradient, FailsWhereItIsWrong) {
  for (const DType dtype : {DType::Float32, DType::Float64})
    for_random_models(dtype, 34, [](const Study& study, const Objective& objective) {
      const Site at = Site::ResidPre;
      const Tensor gradient = gradient_of(study, objective, at);
      const auto passes = [&](const Tensor& g) { return check_gradient(study, objective, at, g).passed; };
      EXPECT_FALSE(passes(times(gradient, 1.15, 0, gradient.size()))) << "too long";
      EXPECT_FALSE(passes(times(gradient, -1, 0, gradient.size()))) << "turned round";
      // The token with the longest gradient, half as long again.
      const std::vector<double> lengths = reduce(gradient.to_doubles(), gradient.dim(0), Reduction::L2);
      const auto longest = std::max_element(lengths.begin(), lengths.end()) - lengths.begin();
      const Index width = gradient.dim(1), first = static_cast<Index>(longest) * width;
      EXPECT_FALSE(passes(times(gradient, 1.5, first, first + width))) << "one token";
    });
}

}  // namespace
}  // namespace headwater
