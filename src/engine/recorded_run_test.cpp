// Values, edits, replays and gradients by name, held to each other and to differences.
#include <cmath>

#include <gtest/gtest.h>
#include <headwater/engine.h>

#include "support/shipped_engines.h"

namespace headwater {
namespace {

const Input some_input{.text = "not bad at all"};

const Engine& exact() {
  static const Engine engine =
      Engine::load(std::string(HEADWATER_SOURCE_DIR) + "/models/sentiment", {.dtype = DType::Float64});
  return engine;
}

Tensor seed_of(const RecordedRun& run, Index label) {
  std::vector<double> values(static_cast<std::size_t>(run.logits().size()), 0.0);
  values[static_cast<std::size_t>(label)] = 1;
  return Tensor::of(run.logits().shape(), values, run.logits().dtype());
}

TEST(RecordedRun, HasTheValuesOfAPredictionAndAnExplanation) {
  const RecordedRun run = testing::sentiment().run(some_input);
  EXPECT_EQ(run.logits().to_doubles(), testing::sentiment().predict(some_input).logits);
  const Tensor maps = testing::sentiment()
                          .explain({.input = some_input, .methods = {{.name = "attention"}}})
                          .attributions.front()
                          .scores();
  for (int l = 0; l < testing::sentiment().info().stacks.front().layers; ++l) {
    const Tensor pattern = run.at({"encoder", "pattern", l});
    EXPECT_EQ(pattern.shape(), maps.shape().without_front());
    EXPECT_EQ(pattern.to_doubles(), maps.rows(l, 1).to_doubles());
  }
  EXPECT_EQ(run.at({"", "resid_pre", 1}).to_doubles(), run.at({"", "resid_post", 0}).to_doubles());
  EXPECT_EQ(run.units().size(), testing::sentiment().tokenize(some_input).size());
}

TEST(RecordedRun, ListsItsPlacesAndRefusesOthers) {
  const RecordedRun run = testing::sentiment().run(some_input);
  const std::vector<PlaceName> places = run.places();
  ASSERT_FALSE(places.empty());
  EXPECT_EQ(places.back(), (PlaceName{"", "logits", 0}));
  for (const PlaceName& place : places) {
    EXPECT_TRUE(run.has(place));
    EXPECT_FALSE(run.at(place).empty()) << place.site;
  }
  EXPECT_FALSE(run.has({"", "pattern", 99}));
  EXPECT_THROW(run.at({"", "pattern", 99}), InputError);
  EXPECT_THROW(run.at({"", "patern", 0}), InputError);
  EXPECT_THROW(run.at({"decoder", "pattern", 0}), InputError);
}

TEST(RecordedRun, AHeadTakenAwayIsGone) {
  const Stack stack = exact().info().stacks.front();
  const PlaceEdit edit{.at = PlaceName{"", "pattern", 1}, .heads = {2}};
  const RecordedRun whole = exact().run(some_input), without = exact().run(some_input, {&edit, 1});
  const Tensor pattern = without.at(edit.at), before = whole.at(edit.at), z = without.at({"", "z", 1});
  const Index per_head = pattern.size() / stack.heads;
  for (Index i = 0; i < pattern.size(); ++i) EXPECT_EQ(pattern.at(i), i / per_head == 2 ? 0 : before.at(i));
  for (Index i = 0; i < z.size(); ++i)
    if (i % stack.width / stack.head_width == 2)
      EXPECT_EQ(z.at(i), 0) << "nothing comes through it";
    else
      EXPECT_EQ(z.at(i), whole.at({"", "z", 1}).at(i));
  // The same by its mixed values, and as a replay.
  const PlaceEdit mixed{.at = PlaceName{"", "z", 1}, .heads = {2}};
  EXPECT_EQ(exact().run(some_input, {&mixed, 1}).logits().to_doubles(), without.logits().to_doubles());
  const PlaceChange change{.at = PlaceName{"", "z", 1}, .copies = z.reshaped({1, z.dim(0), z.dim(1)})};
  EXPECT_EQ(whole.replay({&change, 1}).to_doubles(), without.logits().to_doubles());
}

TEST(RecordedRun, EditsScaleAndReplaceRows) {
  const RecordedRun whole = exact().run(some_input);
  const Tensor before = whole.at({"", "v", 0});
  const Index width = before.dim(1);
  const PlaceEdit doubled{.at = PlaceName{"", "v", 0}, .factor = 2, .rows = {1, 3}};
  const RecordedRun scaled = exact().run(some_input, {&doubled, 1});
  const Tensor after = scaled.at(doubled.at);
  for (Index i = 0; i < after.size(); ++i)
    EXPECT_EQ(after.at(i), before.at(i) * (i / width == 1 || i / width == 3 ? 2 : 1));
  const PlaceEdit put{.at = PlaceName{"", "v", 0}, .values = after};
  EXPECT_EQ(exact().run(some_input, {&put, 1}).logits().to_doubles(), scaled.logits().to_doubles());
  const auto refused = [&](const PlaceEdit& edit) {
    EXPECT_THROW(exact().run(some_input, {&edit, 1}), InputError) << edit.at.site;
  };
  refused({.at = PlaceName{"", "v", 0}, .rows = {99}});
  refused({.at = PlaceName{"", "resid_post", 0}, .heads = {0}});
  refused({.at = PlaceName{"", "pooled", 0}, .rows = {0}});
  refused({.at = PlaceName{"", "v", 0}, .values = Tensor::zeros({2, 2}, DType::Float64)});
  refused({.at = {"", "v", 99}});
}

TEST(RecordedRun, GradientsAreDifferences) {
  const RecordedRun run = exact().run(some_input);
  const Tensor seed = seed_of(run, 1);
  const std::vector<PlaceName> places{{"", "embed", 0}, {"", "pattern", 1}, {"", "resid_post", 0}};
  const std::vector<Tensor> gradients = run.gradients(places, {"", "logits"}, seed);
  constexpr double step = 1e-5;
  for (std::size_t p = 0; p < places.size(); ++p) {
    const Tensor value = run.at(places[p]);
    ASSERT_EQ(gradients[p].shape(), value.shape());
    for (const Index i : {Index{0}, value.size() / 3, value.size() - 1}) {
      std::vector<double> copies = value.to_doubles(), lower = copies;
      copies[static_cast<std::size_t>(i)] += step;
      lower[static_cast<std::size_t>(i)] -= step;
      copies.insert(copies.end(), lower.begin(), lower.end());
      std::vector<Index> dims{2};
      dims.insert(dims.end(), value.shape().dims().begin(), value.shape().dims().end());
      const PlaceChange change{places[p], Tensor::of(Shape(dims), copies)};
      const Tensor logits = run.replay({&change, 1});
      EXPECT_NEAR((logits.at(1) - logits.at(3)) / (2 * step), gradients[p].at(i), 1e-8) << places[p].site;
    }
  }
  const Tensor stacked =
      run.gradient(places[0], Tensor::of({2, 2}, std::vector<double>{0, 1, 1, 0}, DType::Float64));
  EXPECT_EQ(stacked.rows(0, 1).to_doubles(), gradients[0].to_doubles());
  const Tensor embed = run.at({"", "embed"});
  for (const double v :
       run.gradient({"", "logits"}, Tensor::full(embed.shape(), DType::Float64, 1), {"", "embed"})
           .to_doubles())
    EXPECT_EQ(v, 0) << "what comes later";
}

TEST(RecordedRun, RefusesWhatAnEditStandsInTheWayOf) {
  const PlaceEdit edit{.at = {"", "pattern", 1}, .factor = 0.5};
  const RecordedRun run = exact().run(some_input, {&edit, 1});
  EXPECT_EQ(run.gradient(edit.at, seed_of(run, 0)).shape(), run.at(edit.at).shape());
  EXPECT_NO_THROW(run.gradient({"", "v", 1}, seed_of(run, 0))) << "beside it";
  EXPECT_THROW(run.gradient({"", "embed"}, seed_of(run, 0)), Unsupported);
  EXPECT_THROW(run.gradient(edit.at, Tensor::zeros({7}, DType::Float64)), InputError);
  const Tensor embed = run.at({"", "embed"});
  const PlaceChange early{PlaceName{"", "embed"}, embed.reshaped({1, embed.dim(0), embed.dim(1)})};
  EXPECT_THROW(run.replay({&early, 1}), Unsupported);
  EXPECT_THROW(run.replay({}), InputError);
  const PlaceChange wrong{PlaceName{"", "embed"}, embed};
  EXPECT_THROW(run.replay({&wrong, 1}), InputError);
  const PlaceChange late{PlaceName{"", "logits"}, run.logits().reshaped({1, run.logits().size()})};
  EXPECT_THROW(run.replay({&late, 1}, {"", "embed"}), InputError);
}

TEST(EngineTree, IsTheTreeOfItsAttribution) {
  const TreeReport made = testing::sentiment().tree({.input = some_input}, {.tau = 0.3});
  ASSERT_FALSE(made.tree.edges.empty());
  EXPECT_EQ(made.report.attributions.front().method, "attattr");
  for (const Check& check : made.checks) EXPECT_TRUE(check.passed) << check.name;
  // The tree's edges are read from its own map.
  const Tensor& scores = made.report.attributions.front().scores();
  const Index H = scores.dim(1), T = scores.dim(2);
  for (const TreeEdge& edge : made.tree.edges) {
    double sum = 0;
    for (Index h = 0; h < H; ++h) sum += scores.at(((edge.layer * H + h) * T + edge.parent) * T + edge.child);
    EXPECT_NEAR(edge.score, sum, 1e-12);
  }
}

}  // namespace
}  // namespace headwater
