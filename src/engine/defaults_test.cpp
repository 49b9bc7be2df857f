// Every tiny checkpoint has a default that runs, and that says what it must.
#include "engine/defaults.h"

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

ModelInfo encoder_of(int layers, int width) {
  ModelInfo info{.task = Task::TextClassification, .labels = {"no", "yes"}};
  info.stacks = {{.layers = layers,
                  .heads = width / 64,
                  .groups = width / 64,
                  .head_width = 64,
                  .width = width,
                  .feed_forward = 4 * width}};
  return info;
}

// Within ten forward-and-gradient runs, or within a fixed number of multiplications, which is some seconds:
// whatever the model, the length and the nodes that the tolerance would ask for.
TEST(DefaultMethods, AreWithinTenRunsOrWithinSomeSeconds) {
  constexpr double some_seconds = 4e11;
  int alone = 0, both = 0;
  for (const int layers : {2, 6, 12, 24, 48})
    for (const int width : {128, 384, 768, 1024, 2048})
      for (const Index units : {4, 16, 64, 147, 512}) {
        const ModelInfo info = encoder_of(layers, width);
        Request request;
        request.methods = default_methods(info);
        double runs = 1;
        const std::vector<MethodSpec> methods = methods_for(request, info, units);
        for (const MethodSpec& spec : methods) {
          const Method& method = find_method(spec.name);
          const MethodOptions options(method.name, method.options, spec.options);
          runs += method.refines ? options.integer("max_steps") + 1 : 2;
        }
        const double products = gradient_products(info, units);
        EXPECT_TRUE(runs <= 10 || runs * products <= 1.1 * some_seconds)
            << layers << " layers of " << width << ", " << units << " units: " << runs;
        (methods.size() == 1 ? alone : both) += 1;
        EXPECT_EQ(left_out_note(request, info, units).empty(), methods.size() == 2);
      }
  EXPECT_GT(alone, 20);
  EXPECT_GT(both, 20);
}

TEST(DefaultMethods, ABudgetOrANumberOfStepsAllowsWhatTakesLong) {
  const ModelInfo info = encoder_of(12, 768);
  Request request;
  request.methods = default_methods(info);
  ASSERT_EQ(methods_for(request, info, 147).size(), 1U);
  EXPECT_EQ(methods_for(request, info, 9).size(), 2U);
  request.budget = 5;
  EXPECT_EQ(methods_for(request, info, 147).size(), 2U);
  request.budget = 0;
  request.methods.front().options["steps"] = "8";
  EXPECT_EQ(methods_for(request, info, 147).size(), 2U);
  request.methods = {{.name = "integrated_gradients"}};
  EXPECT_EQ(methods_for(request, info, 147).size(), 1U) << "it was named";
}

// 85 million weights are read once per token, and each attention makes two products of tokens and width.
TEST(DefaultMethods, ProductsOfBertBaseByHand) {
  const double weights = 12.0 * (4 * 768.0 * 768 + 2 * 768.0 * 3072), patterns = 12.0 * 2 * 100 * 768;
  EXPECT_DOUBLE_EQ(gradient_products(encoder_of(12, 768), 100), 2 * 100 * (weights + patterns));
}

}  // namespace
}  // namespace headwater
