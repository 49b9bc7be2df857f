// The worked example of the specification (support/worked_models.h), whose numbers come from an independent
// NumPy program; and the closed form against gradients at the patterns themselves.
#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "explain/attention_attribution.h"
#include "methods/method.h"
#include "support/random.h"
#include "support/tiny_models.h"
#include "support/worked_models.h"

namespace headwater {
namespace {

Attribution explain(const std::map<std::string, std::string>& given) {
  const testing::WorkedModel worked = testing::worked_bert();
  Study study(*worked.model, worked.batch, {});
  study.aim({.position = -1, .index = 0});
  const Method& method = find_method("attattr");
  return method.run(study, MethodOptions(method.name, method.options, given));
}

double layer_sum(const Attribution& result, Index layer) {
  double sum = 0;
  for (Index i = 0; i < 50; ++i) sum += result.scores().at(layer * 50 + i);
  return sum;
}

// Every tiny model with a head, aimed at an output of its last token.
void for_every_head(DType dtype, const std::function<void(Study&, const Objective&)>& see) {
  for (const testing::TinyModel& tiny : testing::tiny_models(dtype)) {
    const ModelInfo& info = tiny.model->info();
    if (info.task == Task::FeatureExtraction) continue;
    SCOPED_TRACE(tiny.name);
    Study study(*tiny.model, testing::random_batch(info, 1, 5, 11), {});
    study.aim({.position = study.logits().rank() == 3 ? study.size() - 1 : -1, .index = 0});
    see(study, Objective(study, Quantity::Logit));
  }
}

TEST(AttAttr, MeetsTheWorkedNumbers) {
  const Attribution left = explain({{"rule", "left"}, {"steps", "20"}});
  ASSERT_EQ(left.scores().shape(), (Shape{2, 2, 5, 5}));
  EXPECT_NEAR(layer_sum(left, 0), -.038696409642, 1e-11);
  EXPECT_NEAR(layer_sum(left, 1), -.027535938596, 1e-11);
  const std::vector<double> first{-.011075149, .001103595, -.044512065, -.008251719, .015067095};
  const std::vector<double> last{.02199098, -.007427214, .011466487, -.010102787, -.00087751};
  for (Index j = 0; j < 5; ++j) {
    EXPECT_NEAR(left.scores().at(j), first[static_cast<std::size_t>(j)], 1e-9) << j;
    EXPECT_NEAR(left.scores().at(75 + j), last[static_cast<std::size_t>(j)], 1e-9) << j;
    for (Index i = 1; i < 5; ++i)
      EXPECT_EQ(left.scores().at(75 + i * 5 + j), 0) << "the head reads row 0 alone";
  }
  EXPECT_NEAR(layer_sum(explain({{"rule", "right"}, {"steps", "20"}}), 0), -.037635959965, 1e-11);
  EXPECT_NEAR(layer_sum(explain({{"rule", "left"}, {"steps", "64"}}), 1), -.027198404177, 1e-11);
  EXPECT_NEAR(layer_sum(explain({{"rule", "gauss"}, {"steps", "3"}}), 0), -.038159727340, 1e-11);
  EXPECT_NEAR(layer_sum(explain({{"rule", "gauss"}, {"steps", "5"}}), 1), -.027037410193, 1e-11);
}

TEST(AttAttr, AdaptiveNodesMeetTheChangeOfTheOutput) {
  const Attribution result = explain({{"tolerance", "1e-9"}});
  EXPECT_NEAR(layer_sum(result, 0), -.038167156918, 1e-10);
  EXPECT_NEAR(layer_sum(result, 1), -.027037402183, 1e-10);
  for (const Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name << " " << check.value;
}

// A tolerance below what the working type resolves: more nodes cannot help, and few are spent on it.
TEST(AttAttr, StopsWhereRoundingBegins) {
  const testing::WorkedModel worked = testing::worked_bert(5, testing::Biases::Hashed, DType::Float32);
  Study study(*worked.model, worked.batch, {});
  study.aim({.position = -1, .index = 0});
  const AttentionAttribution found =
      attribute_attention(study, Objective(study, Quantity::Probability), {.nodes = {}, .tolerance = 1e-12});
  for (std::size_t l = 0; l < found.nodes.size(); ++l) {
    EXPECT_LE(found.nodes[l], 30) << l;
    EXPECT_LE(std::abs(found.defect[l]), found.rounding[l]) << l;
  }
}

// The memory for tiles decides which layers and nodes run together, and no bit of the result.
TEST(AttAttr, RunningTogetherChangesNoBit) {
  for_every_head(DType::Float32, [](Study& study, const Objective& objective) {
    const std::vector<Node> midpoint = quadrature(Rule::Midpoint, 4);
    for (const AttentionAttributionOptions& options :
         {AttentionAttributionOptions{}, AttentionAttributionOptions{.nodes = midpoint}}) {
      study.scratch = 0;
      const AttentionAttribution alone = attribute_attention(study, objective, options);
      for (const std::size_t scratch : {std::size_t{1} << 18, default_scratch}) {
        study.scratch = scratch;
        const AttentionAttribution together = attribute_attention(study, objective, options);
        EXPECT_EQ(together.scores().to_doubles(), alone.scores().to_doubles()) << scratch;
        EXPECT_EQ(together.nodes, alone.nodes) << scratch;
        EXPECT_EQ(together.defect, alone.defect) << scratch;
        EXPECT_EQ(together.flop, alone.flop) << scratch;
      }
    }
  });
}

// Against many equal steps, which kinks of relu do not disturb.
TEST(AttAttr, KeepsItsTolerance) {
  int compared = 0, unresolved = 0;
  for_every_head(DType::Float64, [&](const Study& study, const Objective& objective) {
    const AttentionAttribution found = attribute_attention(study, objective, {});
    const AttentionAttribution exact =
        attribute_attention(study, objective, {.nodes = quadrature(Rule::Midpoint, 1000)});
    const Index L = study.info().last().layers, cells = exact.scores().size() / L;
    for (Index l = 0; l < L; ++l) {
      double largest = 0, error = 0;
      for (Index i = l * cells; i < (l + 1) * cells; ++i) {
        largest = std::max(largest, std::abs(exact.scores().at(i)));
        error = std::max(error, std::abs(found.scores().at(i) - exact.scores().at(i)));
      }
      EXPECT_LE(error, std::max(0.01, found.error[static_cast<std::size_t>(l)]) * largest) << l;
      unresolved += found.error[static_cast<std::size_t>(l)] > 0.01 ? 1 : 0;
      ++compared;
    }
  });
  EXPECT_GT(compared, 50);
  EXPECT_LE(20 * unresolved, compared);
}

TEST(AttAttr, StaysWithinItsPlanHoweverManySteps) {
  const testing::WorkedModel worked = testing::worked_bert();
  Study study(*worked.model, worked.batch, {});
  study.aim({.position = -1, .index = 0});
  study.scratch = 0;
  const Objective objective(study, Quantity::Probability);
  study.run();
  reset_tensor_pool_peak();
  const std::size_t before = tensor_pool_statistics().live_bytes;
  attribute_attention(study, objective, {.nodes = quadrature(Rule::Midpoint, 500)});
  EXPECT_LE(tensor_pool_statistics().peak_bytes - before,
            attention_attribution_bytes(study.info(), study.size()));
}

TEST(AttAttr, ReportsProgressWithinALayer) {
  const testing::WorkedModel worked = testing::worked_bert();
  Study study(*worked.model, worked.batch, {});
  study.aim({.position = -1, .index = 0});
  study.scratch = 0;  // one copy at a time
  std::vector<double> heard;
  study.on_progress = [&](double done) { heard.push_back(done); };
  const AttentionAttribution found = attribute_attention(study, Objective(study, Quantity::Probability));
  EXPECT_GE(heard.size(), static_cast<std::size_t>(found.nodes[0] + found.nodes[1]));
  EXPECT_TRUE(std::is_sorted(heard.begin(), heard.end()));
  EXPECT_EQ(heard.front(), 0);
  EXPECT_EQ(heard.back(), 1);
}

TEST(AttAttr, TellsWhatMissedItsTolerance) {
  AttentionAttribution found{.maps = {{.values = Tensor::of({1, 1, 1, 2}, std::vector<double>{0.5, -0.1})}},
                             .steps = {{.layer = 0}},
                             .nodes = {3},
                             .change = {0.4},
                             .defect = {-0.02},
                             .rounding = {0},
                             .error = {0.001}};
  EXPECT_DOUBLE_EQ(completeness_gap(found), 0.04) << "of the largest attribution";
  EXPECT_FALSE(resolved(found, 0.01));
  found.change = {4};
  EXPECT_DOUBLE_EQ(completeness_gap(found), 0.005) << "of the change";
  EXPECT_TRUE(resolved(found, 0.01));
  found.error = {0.02};
  EXPECT_FALSE(resolved(found, 0.01));
  found = {.maps = found.maps,
           .steps = found.steps,
           .nodes = {3},
           .change = {0.4},
           .defect = {-0.02},
           .rounding = {0.02}};
  EXPECT_EQ(completeness_gap(found), 0) << "rounding explains it";
  EXPECT_FALSE(estimated_error(found).has_value());
}

TEST(AttAttr, RefusesBadOptions) {
  EXPECT_THROW(explain({{"steps", "0"}}), InputError);
  EXPECT_THROW(explain({{"tolerance", "0"}}), InputError);
}

// At one node a = 1 the closed form is A ⊙ ∂F/∂A, which a pull to the patterns gives directly.
TEST(AttAttr, ClosedFormEqualsTheGradientAtThePatterns) {
  for_every_head(DType::Float64, [](const Study& study, const Objective& objective) {
    const AttentionAttribution found =
        attribute_attention(study, objective, {.nodes = std::vector<Node>{{.at = 1, .weight = 1}}});
    const headwater::Run& run = study.run();
    std::vector<Place> wanted;
    for (int l = 0; l < study.info().last().layers; ++l) wanted.push_back({Site::Pattern, l});
    const Signals slopes = run.tape->pull(run.logits, study.seed(run), rules::gradient, wanted);
    for (int l = 0; l < study.info().last().layers; ++l) {
      const Tensor pattern = run.at(Site::Pattern, l);
      const Tensor& slope = slopes.at(Site::Pattern, l);
      for (Index i = 0; i < pattern.size(); ++i)
        ASSERT_NEAR(found.scores().at(l * pattern.size() + i), pattern.at(i) * slope.at(i),
                    1e-10 * (1 + std::abs(slope.at(i))))
            << "layer " << l << " cell " << i;
    }
  });
}

}  // namespace
}  // namespace headwater
