#include "engine/jobs.h"

#include <gtest/gtest.h>
#include <headwater/error.h>

namespace headwater {
namespace {

ModelInfo info() {
  ModelInfo made;
  made.last().layers = 12;
  made.last().heads = made.last().groups = 12;
  made.last().head_width = 64;
  made.last().width = 768;
  made.last().feed_forward = 3072;
  made.task = Task::TextClassification;
  made.labels = {"a", "b"};
  made.plain_blocks = true;
  return made;
}

TEST(Jobs, RefusesWhatNoMethodTakes) {
  EXPECT_THROW(jobs_of({.methods = {{"attention", {}, "sum"}}}, info()), InputError);
  EXPECT_THROW(jobs_of({.methods = {{"attention_rollout", {}, "rollout"}}}, info()), InputError);
  EXPECT_THROW(jobs_of({.methods = {{"attention", {{"aggregate", "rollout"}}}}}, info()), InputError)
      << "it is a field, not an option";
  EXPECT_THROW(jobs_of({.methods = {{"attention", {{"colour", "red"}}}}}, info()), InputError);
  EXPECT_EQ(jobs_of({.methods = {{"attention", {}, "rollout"}}}, info())[0].aggregate, "rollout");
}

TEST(MemoryPlan, ABoundShrinksTheWindowAndThenRefuses) {
  const std::vector<Job> jobs = jobs_of({.methods = {{"attention_rollout"}}}, info());
  const MemoryPlan open = plan_memory(jobs, info(), 512, 1, 0);
  EXPECT_EQ(open.window, 0U) << "all layers at once";
  const std::size_t pattern = 12UL * 512 * 512 * 4;
  const MemoryPlan bounded = plan_memory(jobs, info(), 512, 1, open.total - 4 * pattern);
  EXPECT_GT(bounded.window, 6 * pattern);
  EXPECT_LT(bounded.window, 10 * pattern);
  EXPECT_LE(bounded.total, open.total - 4 * pattern);
  EXPECT_THROW(plan_memory(jobs, info(), 512, 1, std::size_t{1} << 20), InputError);
}

TEST(MemoryPlan, APredictionKeepsNextToNothing) {
  EXPECT_LT(plan_memory({}, info(), 128, 1, 0).total, std::size_t{32} << 20);
}

}  // namespace
}  // namespace headwater
