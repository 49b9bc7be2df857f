// The facade on the shipped sentiment model, found by its name.
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <headwater/engine.h>
#include <headwater/formats.h>

#include "base/files.h"
#include "base/json.h"
#include "checkpoint/config.h"
#include "image/image.h"
#include "support/scratch_folder.h"
#include "support/shipped_engines.h"
#include "support/source_folder.h"

namespace headwater {
namespace {

using testing::sentiment;

namespace fs = std::filesystem;

const std::string good = "a gripping and often very funny film", bad = "a dull, lifeless mess";

TEST(Engine, FindsShippedModelsByName) {
  EXPECT_EQ(Engine::load("sentiment").info().architecture, sentiment().info().architecture);
  EXPECT_THROW(Engine::load("no-such-model-anywhere"), InputError);
}

TEST(Engine, Predicts) {
  EXPECT_EQ(sentiment().predict({.text = good}).outcomes[0].top[0].label, "POSITIVE");
  const Prediction p = sentiment().predict({.text = bad});
  EXPECT_EQ(p.outcomes[0].top[0].label, "NEGATIVE");
  EXPECT_NEAR(p.outcomes[0].top[0].probability + p.outcomes[0].top[1].probability, 1, 1e-12);
}

TEST(Engine, PredictionsDoNotDependOnTheirNeighbours) {
  const std::string texts[] = {good, bad, fmt::format("{} {}", good, bad)};
  std::vector<Input> inputs;
  for (std::size_t i = 0; i < 12; ++i) inputs.push_back({.text = texts[i % 3]});
  const std::vector<Prediction> together = sentiment().predict(inputs);
  ASSERT_EQ(together.size(), inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    EXPECT_EQ(together[i].logits, sentiment().predict(inputs[i]).logits) << i;
  EXPECT_TRUE(sentiment().predict(std::span<const Input>{}).empty());
}

// How much of what is explained the scores account for, beside the checks.
TEST(Engine, SaysHowMuchScoresAccountFor) {
  const Report report = sentiment().explain(
      {.input = Input{.text = good},
       .methods = {
           {"attn_lrp"}, {"decompx"}, {"integrated_gradients"}, {"kernel_shap"}, {"attention_rollout"}}});
  for (const Attribution& result : report.attributions) {
    ASSERT_EQ(result.accounted.has_value(), result.method != "attention_rollout") << result.method;
    if (!result.accounted) continue;
    double sum = 0;
    for (const double score : result.scores().to_doubles()) sum += score;
    EXPECT_NEAR(result.accounted->sum, sum, 1e-5) << result.method;
  }
  for (const std::size_t of_logit : {0U, 1U})
    EXPECT_NEAR(report.attributions[of_logit].accounted->of, report.target.logit, 1e-5);
  for (const std::size_t complete : {1U, 2U, 3U})
    EXPECT_NEAR(share_of(*report.attributions[complete].accounted), 1, 0.05) << complete;
  EXPECT_GT(std::abs(share_of(*report.attributions[0].accounted) - 1), 0.05) << "biases take relevance";
}

TEST(Engine, ExplainsThePredictionAndCarriesTheRecord) {
  const Report report =
      sentiment().explain({.input = Input{.text = good}, .methods = {{"attention_rollout"}, {"attention"}}});
  EXPECT_EQ(report.target.label, "POSITIVE");
  EXPECT_EQ(report.prediction.logits, sentiment().predict({.text = good}).logits)
      << "kept or not, the same bits";
  ASSERT_EQ(report.attributions.size(), 2U);
  const auto T = static_cast<Index>(report.prediction.units.size());
  EXPECT_EQ(report.attributions[0].scores().shape(), (Shape{sentiment().info().last().layers, T, T}));
  for (const Attribution& attribution : report.attributions)
    for (const Check& check : attribution.checks) EXPECT_TRUE(check.passed) << check.name;
  EXPECT_EQ(report.record.version, version());
  EXPECT_EQ(report.record.weights_sha256.size(), 64U);
  EXPECT_EQ(report.record.tokenizer_sha256.size(), 64U);
  EXPECT_EQ(report.record.dtype, "float32");
  EXPECT_FALSE(report.record.kernels.empty());
}

TEST(Engine, TargetsAreCheckedBeforeMethodsRun) {
  EXPECT_EQ(sentiment().explain({.input = Input{.text = good}, .target = {.label = "negative"}}).target.index,
            0);
  EXPECT_THROW(sentiment().explain({.input = Input{.text = good}, .target = {.label = "happy"}}), InputError);
  EXPECT_THROW(sentiment().explain({.input = Input{.text = good}, .methods = {{"atention"}}}), InputError);
  EXPECT_THROW(
      sentiment().explain({.input = Input{.text = good}, .methods = {{"attention", {{"head", "1"}}}}}),
      InputError);
}

TEST(Engine, WhatAMethodLeavesOutIsNotMeasured) {
  const Report report =
      sentiment().explain({.input = Input{.text = good},
                           .methods = {{"integrated_gradients"}, {"occlusion"}, {"decompx"}, {"chefer"}}});
  const std::vector<Unit>& tokens = report.prediction.units;
  std::vector<bool> words, all_but_first(tokens.size(), true);
  for (const Unit& token : tokens) words.push_back(!token.special);
  all_but_first[0] = false;
  EXPECT_EQ(report.attributions[0].measured, words);
  EXPECT_EQ(report.attributions[1].measured, words);
  EXPECT_TRUE(report.attributions[2].measured.empty());
  EXPECT_EQ(report.attributions[3].measured, all_but_first) << "the token that is read itself";
  EXPECT_EQ(report.agreement.front().units, static_cast<int>(tokens.size()) - 2);
  const Report replaced = sentiment().explain(
      {.input = Input{.text = good}, .methods = {{"integrated_gradients", {{"special_tokens", "replace"}}}}});
  EXPECT_TRUE(replaced.attributions[0].measured.empty());
}

TEST(Engine, AnAggregateIsAFieldOfItsResult) {
  const Report report = sentiment().explain(
      {.input = Input{.text = good}, .methods = {{"value_zeroing", {}, "rollout"}, {"value_zeroing"}}});
  EXPECT_EQ(report.attributions[0].method, "value_zeroing");
  EXPECT_EQ(report.attributions[0].aggregate, "rollout");
  EXPECT_EQ(report.attributions[1].aggregate, "");
  EXPECT_EQ(report.agreement.front().first, "value_zeroing_rollout");
  const std::string page = to_html(report);
  EXPECT_EQ(page.find("\"card\":{}"), std::string::npos) << "every result has its method's card";
}

TEST(Engine, VerifiesInFloat64) {
  const Request request{.input = Input{.text = good},
                        .methods = {{"attention"}, {"chefer"}, {"integrated_gradients"}},
                        .verify = true};
  Request plain = request;
  plain.verify = false;
  const Report once = sentiment().explain(plain), report = sentiment().explain(request);
  for (std::size_t i = 0; i < report.attributions.size(); ++i) {
    const Check& check = report.attributions[i].checks.back();
    EXPECT_EQ(check.name, "float32 against float64");
    EXPECT_TRUE(check.passed) << report.attributions[i].method << " " << check.value;
    EXPECT_GT(check.value, 0) << "float64 gives other bits";
    EXPECT_EQ(report.attributions[i].scores().to_doubles(), once.attributions[i].scores().to_doubles());
    EXPECT_EQ(report.attributions[i].checks.size(), once.attributions[i].checks.size() + 1);
  }
  EXPECT_EQ(report.record.dtype, "float32");
  EXPECT_GT(sentiment().planned_bytes(request),
            sentiment().planned_bytes(plain) + 8 * sentiment().info().parameters);
  const Engine exact =
      Engine::load(std::string(HEADWATER_SOURCE_DIR) + "/models/sentiment", {.dtype = DType::Float64});
  EXPECT_THROW(exact.explain(request), InputError);
  EXPECT_THROW(exact.planned_bytes(request), InputError);
}

TEST(Engine, LongTextsAreRefusedOrCut) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "good ";
  EXPECT_THROW(sentiment().predict({.text = text}), InputError);
  const Prediction cut = sentiment().predict({.text = text, .truncate = true});
  EXPECT_TRUE(cut.truncated);
  EXPECT_EQ(static_cast<int>(cut.units.size()), sentiment().info().positions);
  EXPECT_EQ(sentiment().tokenize({.text = text}).size(), 2002U) << "tokenize shows all";
  EXPECT_EQ(sentiment().tokenize({.text = text, .truncate = true}).size(), cut.units.size());
}

TEST(Engine, MemoryStaysBelowThePlan) {
  const Request request{.input = Input{.text = good + " " + bad},
                        .methods = {{"attention_rollout"}, {"attention"}}};
  sentiment().explain(request);  // so that what is made once is made
  reset_tensor_pool_peak();
  const std::size_t before = tensor_pool_statistics().live_bytes;
  sentiment().explain(request);
  const std::size_t used = tensor_pool_statistics().peak_bytes - before;
  EXPECT_LE(used, sentiment().planned_bytes(request));
  EXPECT_GE(4 * used, sentiment().planned_bytes(request));
}

TEST(Engine, RefusesWhatTheModelCannotDo) {
  EXPECT_THROW(sentiment().predict({.text = good}, {.max_new_tokens = 3}), InputError);
  EXPECT_THROW(sentiment().predict({.image = "a.png"}), InputError);
  EXPECT_THROW(sentiment().predict({.text = "\xff"}), InputError);
}

// The tiny ViT of the goldens with a preprocessor beside it, and a picture.
class ImageEngine : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::copy(fs::path(HEADWATER_SOURCE_DIR) / "tests/golden/models/vit_classification", folder_);
    const int size = Config::read(folder_ + "/config.json").json().at("image_size").get<int>();
    write_file(folder_ + "/preprocessor_config.json",
               R"({"do_resize": true, "size": {"height": )" + std::to_string(size) + R"(, "width": )" +
                   std::to_string(size) + R"(}, "resample": 2, "do_rescale": true, "do_normalize": true,
                   "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]})");
    Image image{.width = 40, .height = 30, .rgb = std::vector<std::uint8_t>(std::size_t{40} * 30 * 3, 90)};
    for (std::size_t i = 0; i < 1200; ++i) image.rgb[i] = 250;
    write_file(folder_ + "/picture.png", encode_png(image));
  }

  const testing::ScratchFolder scratch_;
  const std::string folder_ = scratch_ / "model";
};

TEST_F(ImageEngine, PredictsAndExplainsAPicture) {
  const Engine engine = Engine::load(folder_);
  const Input input{.image = folder_ + "/picture.png"};
  const Report report = engine.explain({.input = input, .methods = {{"attention_rollout"}}});
  ASSERT_EQ(report.prediction.sequences.size(), 1U);
  EXPECT_EQ(report.prediction.sequences[0].name, "image");
  EXPECT_EQ(report.prediction.logits.size(), engine.info().labels.size());
  EXPECT_TRUE(report.picture.starts_with("\x89PNG"));
  const Index side = engine.info().image_size / engine.info().patch_size;
  EXPECT_EQ(report.attributions[0].scores().shape().back(), engine.info().prefix_tokens + side * side);
  EXPECT_GT(engine.planned_bytes({.input = input, .methods = {{"attention_rollout"}}}),
            report.attributions[0].scores().bytes());
  EXPECT_TRUE(report.record.tokenizer_sha256.empty());
  const std::vector<Input> twice{input, input};
  for (const Prediction& p : engine.predict(twice)) EXPECT_EQ(p.logits, report.prediction.logits);
  EXPECT_NE(to_html(report).find("data:image/png"), std::string::npos);
}

TEST_F(ImageEngine, HasNoTokens) {
  const Engine engine = Engine::load(folder_);
  EXPECT_THROW(engine.tokenize({.text = "a cat"}), InputError);
  EXPECT_THROW(engine.predict({.text = "a cat"}), InputError);
}

}  // namespace
}  // namespace headwater
