// Every tiny checkpoint has a default that runs, and that says what it must.
#include <gtest/gtest.h>
#include <headwater/engine.h>

#include "engine/jobs.h"
#include "support/tiny_models.h"

namespace headwater {
namespace {

TEST(DefaultMethods, ExplainTheOutputOfEveryModelThatHasOne) {
  for (const testing::TinyModel& tiny : testing::tiny_models(DType::Float32)) {
    const ModelInfo& info = tiny.model->info();
    Request request;
    request.methods = default_methods(info);
    const std::vector<Job> jobs = jobs_of(request, info);  // throws for what the family refuses
    ASSERT_FALSE(jobs.empty()) << tiny.name;
    const bool output = info.task != Task::FeatureExtraction;
    EXPECT_EQ(jobs.front().method->needs_target, output) << tiny.name;
    EXPECT_EQ(jobs.size(), output ? 2U : 1U) << tiny.name << ": a second one beside it";
    if (!output) {
      EXPECT_FALSE(jobs.front().aggregate.empty()) << tiny.name << ": through all layers";
    }
  }
}

}  // namespace
}  // namespace headwater
