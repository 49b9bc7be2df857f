#include "explain/rounding.h"

#include <gtest/gtest.h>

#include "support/random.h"
#include "support/tiny_models.h"

namespace headwater {
namespace {

Tensor last_block(const Study& study) {
  return study.run().at(Site::ResidPost, study.info().last().layers - 1);
}

TEST(Rounding, TellsScoresThatMagnifyIt) {
  for (const testing::TinyModel& tiny : testing::tiny_models(DType::Float32)) {
    SCOPED_TRACE(tiny.name);
    Study study(*tiny.model, testing::random_batch(tiny.model->info(), 1, 5, 11), {});
    const std::vector<double> before = last_block(study).to_doubles();
    const auto plain = [](const Study& s) { return last_block(s).to_doubles(); };
    EXPECT_TRUE(check_rounding(study, before, plain).passed);
    // Differences that would be zero but for the last bits.
    const auto magnified = [&before](const Study& s) {
      std::vector<double> scores = last_block(s).to_doubles();
      for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = 1 + 1e6 * (scores[i] - before[i]);
      return scores;
    };
    const Check check = check_rounding(study, magnified(study), magnified);
    EXPECT_FALSE(check.passed) << check.value;
  }
}

TEST(Rounding, LeavesTheStudyAsItIs) {
  for (const testing::TinyModel& tiny : testing::tiny_models(DType::Float64)) {
    SCOPED_TRACE(tiny.name);
    Study study(*tiny.model, testing::random_batch(tiny.model->info(), 1, 5, 11), {});
    const std::vector<double> logits = study.logits().to_doubles();
    const auto same = [](const Study& s) { return s.logits().to_doubles(); };
    const Check check = check_rounding(study, logits, same);
    EXPECT_TRUE(check.passed);
    EXPECT_GT(check.value, 0);
    EXPECT_LT(check.value, 1e-10);
    EXPECT_EQ(study.logits().to_doubles(), logits);
  }
}

}  // namespace
}  // namespace headwater
