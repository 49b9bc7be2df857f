#include <cmath>
#include <cstring>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "blocks/recognise.h"
#include "methods/method.h"
#include "methods/value_zeroing/block.h"
#include "methods/value_zeroing/fold.h"
#include "models/family.h"
#include "support/fakes.h"
#include "support/source_folder.h"
#include "support/tiny_models.h"
#include "support/value_example.h"

namespace headwater {
namespace {

using testing::sine_model;

Attribution explain(const Study& study, const std::map<std::string, std::string>& options) {
  const Method& method = find_method("value_zeroing");
  return method.run(study, MethodOptions(method.name, method.options, options));
}

std::unique_ptr<Model> tiny(const std::string& name, DType dtype) {
  return load_model(
      open_checkpoint(find_model(HEADWATER_SOURCE_DIR "/tests/golden/models/" + name, {}), dtype));
}

TEST(ValueZeroing, OneSetOfOneTokenIsItsColumn) {
  for (const char* name : {"bert_model", "llama_causal_lm", "gpt2_model"}) {
    const auto model = tiny(name, DType::Float64);
    const Study study(*model, testing::random_batch(model->info(), 1, 7, 1), {});
    const Attribution all = explain(study, {{"normalise", "none"}});
    const Attribution one = explain(study, {{"tokens", "2"}});
    ASSERT_EQ(one.scores().shape(), (Shape{model->info().last().layers, 7}));
    EXPECT_EQ(one.axes(), (Axes{Axis::Layer, Axis::Units}));
    for (Index row = 0; row < one.scores().size(); ++row) {
      const double column = all.scores().at(row * 7 + 2);
      EXPECT_NEAR(one.scores().at(row), std::isnan(column) ? 0 : column, 1e-14) << name << ' ' << row;
    }
  }
}

TEST(ValueZeroing, HeadsAddUpToAll) {
  const auto model = tiny("mistral_model", DType::Float64);  // grouped heads
  const Study study(*model, testing::random_batch(model->info(), 1, 6, 1), {});
  const std::string last = std::to_string(model->info().last().heads - 1);
  const Attribution all = explain(study, {}), listed = explain(study, {{"heads", "0-" + last + "," + last}});
  for (Index i = 0; i < all.scores().size(); ++i)
    if (!std::isnan(all.scores().at(i))) {
      ASSERT_EQ(all.scores().at(i), listed.scores().at(i));
    }
  EXPECT_NE(explain(study, {{"heads", "0"}}).scores().at(6), all.scores().at(6));
}

// The scratch decides the tiles, and no bit of the result; T is longer than the least block of sources.
TEST(ValueZeroing, TilesDoNotShow) {
  for (const char* name : {"bert_model", "gpt2_model"}) {
    const auto model = tiny(name, DType::Float32);
    Study study(*model, testing::random_batch(model->info(), 1, 19, 1), {});
    const Attribution large = explain(study, {});
    study.scratch = 0;
    const Attribution small = explain(study, {});
    EXPECT_EQ(std::memcmp(large.scores().data<float>(), small.scores().data<float>(), large.scores().bytes()),
              0);
  }
}

TEST(ValueZeroing, ChecksThePlainForm) {
  const auto model = sine_model(true, DType::Float64);
  const Study study(*model, {.ids = {{1, 2, 3}}}, {});
  const Attribution result = explain(study, {});
  ASSERT_EQ(result.checks.size(), 4U);
  EXPECT_EQ(result.checks[0].name, "shortcut equals the plain form on 4 pairs");
  for (const Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name;
  const std::vector<Pair> pairs{{2, 0}, {1, 1}};
  const std::vector<double> plain =
      plain_distances(study, attentions_of(study.info()).front(), 1, pairs, {.heads = {0, 1}});
  ASSERT_EQ(plain.size(), 2U);
  const Attribution distances = explain(study, {{"normalise", "none"}});
  EXPECT_NEAR(plain[0], distances.scores().at(9 + 2 * 3 + 0), 1e-12);
  EXPECT_NEAR(plain[1], distances.scores().at(9 + 1 * 3 + 1), 1e-12);
  EXPECT_GT(plain[0], 0);
}

TEST(ValueZeroing, PublishedVariants) {
  const auto model = sine_model(false, DType::Float64);
  const Study study(*model, {.ids = {{1, 2, 3}}}, {});
  // Distances of the first layer, from the worked example: row 0 is 4.1968e-4, 3.675e-5, 3.7e-7.
  const Attribution exact = explain(study, {{"normalise", "none"}});
  EXPECT_NEAR(exact.scores().at(2), 3.7e-7, 5e-9);
  const Attribution cut = explain(study, {{"normalise", "none"}, {"compat", "inseq"}});
  EXPECT_EQ(cut.scores().at(2), 0);
  EXPECT_EQ(cut.scores().at(1), exact.scores().at(1));
  const Attribution round = explain(study, {{"normalise", "none"}, {"compat", "cmt_gpt2"}});
  EXPECT_NEAR(round.scores().at(0), 4.2e-4, 1e-12);
  EXPECT_NEAR(round.scores().at(1), 4e-5, 1e-12);
  const Attribution noisy = explain(study, {{"normalise", "none"}, {"compat", "fp32"}});
  EXPECT_NEAR(noisy.scores().at(0), 4.1968e-4, 5e-7);
  EXPECT_NE(noisy.scores().at(0), exact.scores().at(0));
}

TEST(ValueZeroing, EmptyRowsStayZeroAndAreNamed) {
  // NumPy finds no distance of 1e-5 in the second layer's second row of the causal example.
  const auto model = sine_model(true, DType::Float64);
  const Study study(*model, {.ids = {{1, 2, 3}}}, {});
  const Attribution result = explain(study, {{"compat", "inseq"}});
  EXPECT_EQ(result.scores().at(12), 0);
  EXPECT_EQ(result.scores().at(13), 0);
  EXPECT_TRUE(std::isnan(result.scores().at(14))) << "forbidden, not empty";
  EXPECT_EQ(result.notes.back(),
            "1 rows were not moved by any token: they are left as zeros and do not sum to 1.");
  for (const Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name;
}

TEST(ValueZeroing, FoldsAreKeptWithTheirModelAndGiveTheSameBits) {
  auto model = tiny("bert_model", DType::Float32);
  const Study recorded(*model, testing::random_batch(model->info(), 1, 6, 1), {});
  const auto weights = [&](int layer) { return plain_block(recorded.tape(), {.layer = layer})->weights; };
  const BlockWeights block = weights(0), other = weights(1);
  const auto kept = fold_of(block, block.attention_norm, true);
  EXPECT_EQ(fold_of(block, block.attention_norm, false), kept) << "found again";
  EXPECT_NE(fold_of(other, other.attention_norm, false), fold_of(other, other.attention_norm, false));
  const Study study(*model, testing::random_batch(model->info(), 1, 6, 1), {});
  const Attribution first = explain(study, {{"fold", "keep"}}), second = explain(study, {{"fold", "keep"}});
  EXPECT_EQ(std::memcmp(first.scores().data<float>(), second.scores().data<float>(), first.scores().bytes()),
            0);
  EXPECT_TRUE(fold_pays(128, 64, 768));
  EXPECT_FALSE(fold_pays(32, 64, 768));
  EXPECT_FALSE(fold_pays(1000, 64, 64)) << "one head: the fold is no smaller";
}

TEST(ValueZeroing, StopsWhenAsked) {
  const auto model = tiny("bert_model", DType::Float32);
  Study study(*model, testing::random_batch(model->info(), 1, 6, 1), {});
  double last = 0;
  study.on_progress = [&](double done) {
    EXPECT_GE(done, last);
    last = done;
  };
  explain(study, {});
  EXPECT_EQ(last, 1);
  study.on_progress = [](double) { throw InputError("stop"); };
  EXPECT_THROW(explain(study, {}), InputError);
}

TEST(ValueZeroing, RefusesWhatItCannotRead) {
  const auto model = sine_model(false, DType::Float64);
  const Study study(*model, {.ids = {{1, 2, 3}}}, {});
  for (const char* bad : {"2", "-1", "", "0,", "1-0", "0;1", "x", "0-", "99999999999"}) {
    EXPECT_THROW(explain(study, {{"heads", bad}}), InputError) << bad;
  }
  EXPECT_THROW(explain(study, {{"tokens", "3"}}), InputError);
  EXPECT_THROW(explain(study, {{"compat", "other"}}), InputError);
  const testing::Fixture fake = testing::make_fixture(Task::TextClassification);
  const Study other(*fake.model, Batch{.ids = {{1, 2, 3}}}, {});
  EXPECT_THROW(explain(other, {}), Unsupported);
}

}  // namespace
}  // namespace headwater
