// ELECTRA's discriminator, whose one logit z per token says "replaced" where z > 0 with p = 1 / (1 +
// exp(−z)): the probability beside transformers' logits, and its gradient beside differences of the run.
#include <cmath>

#include <gtest/gtest.h>

#include "explain/objective.h"
#include "methods/method.h"
#include "study/prediction.h"
#include "support/golden_arrays.h"
#include "support/golden_models.h"

namespace headwater {
namespace {

constexpr const char* folder = "electra_discriminator";

double sigmoid(double z) {
  return (1 + std::tanh(z / 2)) / 2;
}

TEST(DiscriminatorGoldens, ProbabilitiesOfEveryToken) {
  const testing::GoldenModel golden = testing::golden_model(folder);
  const Expected expected(testing::golden_folder + "models/" + folder + "/expected.safetensors");
  const Tensor logits = expected.array("logits");  // [B, T, 1]
  Study study(*golden.model, golden.batch, {});
  bool above = false, below = false;
  for (int t = 0; t < study.size(); ++t) {
    study.aim({.position = t, .index = 0});
    const double z = logits.at(t);
    EXPECT_NEAR(Objective(study, Quantity::Logit).value(), z, 1e-9);
    EXPECT_NEAR(Objective(study, Quantity::Probability).value(), sigmoid(z), 1e-9);
    EXPECT_NEAR(
        probabilities({.model = std::shared_ptr<const Model>(std::shared_ptr<void>(), golden.model.get())},
                      std::vector<double>{z})
            .front(),
        sigmoid(z), 1e-15);
    above = above || z > 0;
    below = below || z < 0;
  }
  EXPECT_TRUE(above || below);
}

TEST(DiscriminatorGoldens, GradientOfTheProbability) {
  const testing::GoldenModel golden = testing::golden_model(folder);
  Study study(*golden.model, golden.batch, {});
  study.aim({.position = 2, .index = 0});
  const Objective objective(study, Quantity::Probability);
  const headwater::Run& run = study.run();
  const Place input{Site::ResidPre, 0};
  const Tensor slope =
      run.tape->pull(run.logits, objective.seed(run.logits.value, {}), rules::gradient, {input}).at(input);
  const Tensor x = study.at(input);
  const double h = 1e-5;
  double largest = 0;
  for (Index i = 0; i < x.size(); i += 7) {
    const auto moved = [&](double by) {
      const headwater::Run other =
          study.run({{input, [&](Tensor& value) { value.data<double>()[i] += by; }}});
      return objective.values(other.logits.value, {}).front();
    };
    EXPECT_NEAR(slope.at(i), (moved(h) - moved(-h)) / (2 * h), 1e-9) << i;
    largest = std::max(largest, std::abs(slope.at(i)));
  }
  EXPECT_GT(largest, 1e-6);
}

}  // namespace
}  // namespace headwater
