// What integrated gradients promises and refuses, on tiny checkpoints; its numbers are held in tests/golden.
#include <cmath>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "checkpoint/checkpoint.h"
#include "methods/method.h"
#include "models/family.h"
#include "support/source_folder.h"
#include "support/tiny_models.h"

namespace headwater {
namespace {

struct Subject {
  std::unique_ptr<Model> model;
  std::optional<Study> study;
};

Subject open(const std::string& name) {
  const std::string path = std::string(HEADWATER_SOURCE_DIR) + "/tests/golden/models/" + name;
  Subject subject{load_model(open_checkpoint(find_model(path, {}), DType::Float64)), {}};
  subject.study.emplace(*subject.model, testing::random_batch(subject.model->info(), 1, 6, 3));
  const bool rows = subject.study->logits().rank() == 3;
  subject.study->aim({.position = rows ? 5 : -1, .index = 1});
  return subject;
}

Attribution explain(const Subject& subject, const std::map<std::string, std::string>& options,
                    const std::string& name = "integrated_gradients") {
  const Method& method = find_method(name);
  return method.run(*subject.study, MethodOptions(method.name, method.options, options));
}

TEST(IntegratedGradients, BaselinesAreWhatTheModelHas) {
  Subject text = open("gpt2_causal_lm");
  EXPECT_NE(explain(text, {{"steps", "4"}}).notes.at(0).find("mean"), std::string::npos);
  EXPECT_THROW(explain(text, {{"baseline", "pad"}}), InputError);
  EXPECT_THROW(explain(text, {{"baseline", "black"}}), InputError);
  text.study->special_ids = {.mask = 1, .unknown = 2, .pad = 0};
  std::vector<std::vector<double>> answers;
  for (const char* baseline : {"mask", "unk", "pad", "mean", "zero"})
    answers.push_back(explain(text, {{"baseline", baseline}, {"steps", "4"}}).scores().to_doubles());
  for (std::size_t a = 0; a < answers.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) EXPECT_NE(answers[a], answers[b]) << a << " " << b;
  const Subject image = open("vit_classification");
  EXPECT_THROW(explain(image, {{"baseline", "mask"}}), InputError);
  EXPECT_NE(explain(image, {{"baseline", "black"}, {"steps", "4"}}).scores().to_doubles(),
            explain(image, {{"baseline", "mean"}, {"steps", "4"}}).scores().to_doubles());
}

TEST(IntegratedGradients, SpecialTokensKeepTheirEmbedding) {
  const Subject image = open("vit_classification");
  EXPECT_EQ(explain(image, {{"steps", "4"}, {"baseline", "zero"}}).scores().at(0), 0);
  EXPECT_NE(
      explain(image, {{"steps", "4"}, {"baseline", "zero"}, {"special_tokens", "replace"}}).scores().at(0),
      0);
}

TEST(IntegratedGradients, NamesTheTrapOfAZeroBaseline) {
  const auto named = [](const Attribution& result) {
    for (const std::string& note : result.notes)
      if (note.find("pre-norm") != std::string::npos) return true;
    return false;
  };
  const std::map<std::string, std::string> zero{{"baseline", "zero"}, {"steps", "4"}};
  EXPECT_TRUE(named(explain(open("llama_causal_lm"), zero)));
  EXPECT_FALSE(named(explain(open("bert_token"), zero)));
  EXPECT_FALSE(named(explain(open("llama_causal_lm"), {{"steps", "4"}})));
}

TEST(IntegratedGradients, AddsNodesUntilTheScoresAreRightOrSaysThatTheyAreNot) {
  const Subject subject = open("llama_causal_lm");
  const Attribution good = explain(subject, {{"tolerance", "1e-6"}});
  ASSERT_EQ(good.checks.size(), 2U);
  for (const Check& check : good.checks) EXPECT_TRUE(check.passed) << check.value << " " << check.bound;
  const Attribution exact = explain(subject, {{"steps", "200"}});
  double largest = 0, off = 0;
  for (Index t = 0; t < 6; ++t) {
    largest = std::max(largest, std::abs(exact.scores().at(t)));
    off = std::max(off, std::abs(exact.scores().at(t) - good.scores().at(t)));
  }
  EXPECT_LE(off, 1e-6 * largest);
  const Attribution few = explain(subject, {{"tolerance", "1e-12"}, {"max_steps", "7"}});
  EXPECT_FALSE(few.checks.at(1).passed) << "no nodes left to get there";
  EXPECT_NE(few.notes.at(0).find(" 7 nodes"), std::string::npos) << few.notes.at(0);
  const Attribution bad = explain(subject, {{"steps", "1"}, {"rule", "left"}, {"tolerance", "1e-6"}});
  EXPECT_FALSE(bad.checks.at(0).passed);
  EXPECT_NE(bad.notes.back().find("Without steps, nodes are added"), std::string::npos) << bad.notes.back();
  const std::string said = "tolerance=";
  const std::size_t at = bad.notes.back().find(said) + said.size();
  const std::string passing = bad.notes.back().substr(at, bad.notes.back().find(' ', at) - at);
  EXPECT_TRUE(
      explain(subject, {{"steps", "1"}, {"rule", "left"}, {"tolerance", passing}}).checks.at(0).passed)
      << "what is said to pass passes: " << passing;
  EXPECT_GT(bad.checks.at(0).value, good.checks.at(0).value);
}

TEST(IntegratedGradients, ThePlaceOfTheInputMatters) {
  const Subject subject = open("gpt2_causal_lm");
  for (const char* name : {"saliency", "input_x_gradient"})
    EXPECT_NE(explain(subject, {{"wrt", "embed"}, {"reduction", "l2"}}, name).scores().to_doubles(),
              std::vector<double>(6, 0.0));
  const auto check = explain(subject, {{"wrt", "embed"}}).checks.at(0);
  EXPECT_TRUE(check.passed) << check.value << " " << check.bound;
}

TEST(Saliency, SaysWhenSumsAreNothingButRounding) {
  const auto warned = [](const Attribution& result) {
    return result.notes.back().find("rounding noise") != std::string::npos;
  };
  for (const char* name : {"saliency", "smooth_grad"}) {
    EXPECT_TRUE(warned(explain(open("gpt2_causal_lm"), {{"reduction", "sum"}}, name)));
    EXPECT_FALSE(warned(explain(open("gpt2_causal_lm"), {}, name)));
    EXPECT_FALSE(warned(explain(open("llama_causal_lm"), {{"reduction", "abs_sum"}}, name)));
  }
}

TEST(IntegratedGradients, RefusesOptionsOutOfRange) {
  const Subject subject = open("gpt2_causal_lm");
  EXPECT_THROW(explain(subject, {{"steps", "-1"}}), InputError);
  EXPECT_THROW(explain(subject, {{"max_steps", "4"}}), InputError);
  EXPECT_THROW(explain(subject, {{"tolerance", "0"}}), InputError);
  EXPECT_THROW(explain(subject, {{"steps", "1"}, {"rule", "trapezoid"}}), InputError);
  EXPECT_THROW(explain(subject, {{"rule", "left"}}), InputError)
      << "a rule of its own needs a number of steps";
}

TEST(SmoothGrad, IsSaliencyWhenThereIsAlmostNoNoise) {
  const Subject subject = open("bert_token");
  const auto plain = explain(subject, {}, "saliency").scores().to_doubles();
  const Attribution smooth = explain(subject, {{"noise", "1e-9"}, {"samples", "4"}}, "smooth_grad");
  for (Index t = 0; t < 6; ++t)
    EXPECT_NEAR(smooth.scores().at(t), plain[static_cast<std::size_t>(t)], 1e-6) << t;
  EXPECT_LT(smooth.details.at(0).values.at(0), 1e-6);
}

TEST(SmoothGrad, StatesTheSpreadOverSeeds) {
  const Subject subject = open("gpt2_sequence");
  constexpr int trials = 60;
  double sum = 0, squares = 0, stated = 0;
  for (int seed = 0; seed < trials; ++seed) {
    const Attribution result =
        explain(subject, {{"samples", "20"}, {"seed", std::to_string(seed)}}, "smooth_grad");
    sum += result.scores().at(5) / trials;
    squares += result.scores().at(5) * result.scores().at(5) / trials;
    stated += result.details.at(0).values.at(5) / trials;
  }
  EXPECT_NEAR(stated / std::sqrt(squares - sum * sum), 1, 0.35);
}

TEST(SmoothGrad, RefusesOptionsOutOfRange) {
  const Subject subject = open("bert_token");
  EXPECT_THROW(explain(subject, {{"samples", "1"}}, "smooth_grad"), InputError);
  EXPECT_THROW(explain(subject, {{"noise", "0"}}, "smooth_grad"), InputError);
  EXPECT_THROW(explain(subject, {{"seed", "-1"}}, "smooth_grad"), InputError);
}

TEST(Perturbation, PatchesAreUnits) {
  const Subject image = open("vit_classification");
  EXPECT_THROW(explain(image, {{"unit", "word"}}, "occlusion"), InputError);
  EXPECT_THROW(explain(image, {{"replace", "delete"}}, "occlusion"), InputError);
  const Attribution shap = explain(image, {{"samples", "200"}}, "kernel_shap");
  EXPECT_EQ(shap.scores().at(0), 0) << "[CLS] is no patch";
  for (const Check& check : shap.checks) EXPECT_TRUE(check.passed) << check.name;
}

}  // namespace
}  // namespace headwater
