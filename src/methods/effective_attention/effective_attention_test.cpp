#include <cmath>
#include <cstring>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "checkpoint/checkpoint.h"
#include "methods/method.h"
#include "models/family.h"
#include "support/fakes.h"
#include "support/source_folder.h"
#include "support/tiny_models.h"
#include "support/toy_model.h"

namespace headwater {
namespace {

using Options = std::map<std::string, std::string>;

Attribution explain(const Study& study, const Options& options = {}) {
  const Method& method = find_method("effective_attention");
  return method.run(study, MethodOptions(method.name, method.options, options));
}

std::unique_ptr<Model> tiny(const std::string& name, DType dtype = DType::Float64) {
  return load_model(
      open_checkpoint(find_model(HEADWATER_SOURCE_DIR "/tests/golden/models/" + name, {}), dtype));
}

Study study_of(const Model& model, int tokens) {
  Study study(model, testing::random_batch(model.info(), 1, tokens, 7), {});
  study.special_ids.pad = 0;
  return study;
}

double detail(const Attribution& result, const std::string& name, Index flat) {
  for (const Map& d : result.details)
    if (d.name == name) return d.values.at(flat);
  ADD_FAILURE() << "no detail " << name;
  return NAN;
}

const Check& check(const Attribution& result, const std::string& name) {
  for (const Check& c : result.checks)
    if (c.name == name) return c;
  throw std::runtime_error("no check " + name);
}

void expect_map(const Attribution& result, Index map, const std::vector<double>& expected) {
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(result.scores().at(map * static_cast<Index>(expected.size()) + static_cast<Index>(k)),
                expected[k], 6e-7)
        << k;
}

TEST(EffectiveAttention, ToyModelByAnotherProgram) {
  const testing::ToyModel model;
  const Study study(model, testing::toy_batch(), {});
  const Attribution result = explain(study);
  ASSERT_EQ(result.scores().shape(), (Shape{2, 2, 3, 3}));
  expect_map(result, 0,
             {.232332, -.237643, .292961, .099238, -.017508, -.040553, .117691, -.146112, .199158});
  expect_map(result, 1,
             {.087526, -.204849, .353482, -.091941, .061933, .031875, -.027405, -.082346, .274714});
  EXPECT_EQ(detail(result, "rank", 0), 2);
  EXPECT_EQ(detail(result, "nullity_L0", 0), 1);
  EXPECT_EQ(detail(result, "nullity_L1", 0), 0);
  EXPECT_EQ(detail(result, "free_dimensions_L3", 0), 0);
  EXPECT_NEAR(detail(result, "kappa", 0), 2.073047 / .376079, 2e-5);
  EXPECT_NEAR(detail(result, "row_sum", 0), (.287651 + .041177 + .170737) / 3, 1e-6);
  EXPECT_NEAR(detail(result, "row_sum", 1), (.236158 + .001867 + .164963) / 3, 1e-6);
  EXPECT_NEAR(detail(result, "negative_mass", 0), (.237643 + .017508 + .040553 + .146112) / 3, 1e-6);
  EXPECT_TRUE(check(result, "the head's output is kept").passed);
  // [V, 1] has rank 3 = T: attention with row sums is determined, and comes back bit for bit.
  const Attribution kept = explain(study, {{"sum_preserving", "true"}});
  const Tensor raw = study.at(Site::Pattern, 0);
  EXPECT_EQ(std::memcmp(kept.scores().data<double>(), raw.data<double>(), raw.bytes()), 0);
}

TEST(EffectiveAttention, RawBitForBitUpToTheHeadWidth) {
  for (const DType dtype : {DType::Float32, DType::Float64})
    for (const std::string name : {"bert_model", "gpt2_causal_lm", "llama_model"}) {
      const auto model = tiny(name, dtype);
      const Study study = study_of(*model, model->info().last().head_width);
      const Attribution result = explain(study);
      for (Index l = 0; l < model->info().last().layers; ++l) {
        const Tensor raw = study.at(Site::Pattern, static_cast<int>(l));
        for (Index k = 0; k < raw.size(); ++k) {
          const double found = result.scores().at(l * raw.size() + k);
          if (!std::isnan(found)) {
            ASSERT_EQ(found, raw.at(k)) << name;
          }
        }
        EXPECT_EQ(detail(result, "nullity_L0", l * model->info().last().heads), 0);
        EXPECT_EQ(detail(result, "pearson", l * model->info().last().heads), 1);
        EXPECT_EQ(detail(result, "null_energy", l * model->info().last().heads), 0);
      }
      EXPECT_NE(result.notes.front().find("bit for bit"), std::string::npos);
    }
}

TEST(EffectiveAttention, KeepsOutputsBeyondIt) {
  for (const std::string name : {"bert_model", "gpt2_causal_lm", "llama_model", "qwen2_model"}) {
    const auto model = tiny(name, DType::Float32);
    const Study study = study_of(*model, 15);
    for (const Options& options :
         {Options{}, Options{{"sum_preserving", "true"}}, Options{{"value_bias", "false"}}}) {
      const Attribution result = explain(study, options);
      for (const Check& c : result.checks) EXPECT_TRUE(c.passed) << name << " " << c.name << " " << c.value;
      EXPECT_GT(detail(result, "null_energy", 0), 1e-3) << name;
    }
  }
}

TEST(EffectiveAttention, SmoothChangesTheOutputAndSaysSo) {
  const auto model = tiny("gpt2_causal_lm");
  const Study study = study_of(*model, 9);
  const Attribution plain = explain(study), little = explain(study, {{"smooth", "1e-9"}});
  for (Index k = 0; k < plain.scores().size(); ++k)
    if (!std::isnan(plain.scores().at(k))) {
      ASSERT_NEAR(little.scores().at(k), plain.scores().at(k), 1e-9);
    }
  const Attribution much = explain(study, {{"smooth", "1"}});
  EXPECT_GT(detail(much, "output_error", 0), 1e-3);
  EXPECT_NE(much.notes.front().find("smooth"), std::string::npos);
  EXPECT_NO_THROW(explain(study_of(*tiny("bert_model"), 9), {{"smooth", "0.1"}}));
}

// A head that writes through a matrix of rank 1 is determined up to that one direction only.
TEST(EffectiveAttention, PrunedHeads) {
  testing::ToyModel model;
  std::vector<double> out = model.block(0).attention.out.weight->dense().to_doubles();
  for (std::size_t row = 0; row < 4; ++row) out[row * 4 + 1] = 0;  // head 0 writes its first number only
  model.block(0).attention.out.weight = std::make_shared<Matrix>(Tensor::of({4, 4}, out));
  const Study study(model, testing::toy_batch(), {});
  const Attribution result = explain(study);
  EXPECT_EQ(detail(result, "rank", 0), 1);
  EXPECT_EQ(detail(result, "nullity_L0", 0), 2);
  EXPECT_EQ(detail(result, "rank", 1), 2);
  EXPECT_TRUE(check(result, "the head's output is kept").passed);
  // Every row is a multiple of the one value column that is left.
  const Tensor v = study.at(Site::V, 0);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 1; j < 3; ++j)
      EXPECT_NEAR(result.scores().at(i * 3 + j) * v.at(0), result.scores().at(i * 3) * v.at(j * 4), 1e-12);
}

TEST(EffectiveAttention, PaddedRecipeOnlyUnderItsName) {
  const auto model = tiny("bert_model");
  const Study study = study_of(*model, 4);  // T = E: determined
  const Attribution plain = explain(study), recipe = explain(study, {{"compat", "sun2021"}});
  EXPECT_TRUE(check(plain, "the head's output is kept").passed);
  EXPECT_EQ(detail(plain, "null_energy", 0), 0);
  EXPECT_FALSE(check(recipe, "the head's output is kept").passed);
  EXPECT_GT(detail(recipe, "null_energy", 0), 0.1);
  EXPECT_NE(recipe.notes.front().find("sun2021"), std::string::npos);
}

TEST(EffectiveAttention, RefusesWhatCannotBe) {
  const auto bert = tiny("bert_model"), gpt = tiny("gpt2_causal_lm"), vit = tiny("vit_classification");
  const Study study = study_of(*bert, 5);
  for (const Options& options :
       {Options{{"rtol", "-1"}}, Options{{"rtol", "1"}}, Options{{"smooth", "-1"}},
        Options{{"smooth", "1"}, {"sum_preserving", "true"}}, Options{{"compat", "sun2021"}, {"smooth", "1"}},
        Options{{"compat", "sun2021"}, {"value_bias", "false"}}})
    EXPECT_THROW(explain(study, options), InputError);
  EXPECT_THROW(explain(study_of(*gpt, 5), {{"compat", "sun2021"}}), Unsupported);
  EXPECT_THROW(explain(study_of(*vit, 5), {{"compat", "sun2021"}}), Unsupported);
  Study without(*bert, testing::random_batch(bert->info(), 1, 5, 7), {});
  EXPECT_THROW(explain(without, {{"compat", "sun2021"}}), InputError);
}

// A model that is not made of blocks shows its patterns and values, and nothing of its weights.
class Bare : public Model {
 public:
  Bare() {
    info_.architecture = "Bare";
    info_.last().layers = info_.last().heads = info_.last().groups = 1;
    info_.last().head_width = info_.last().width = 2;
    info_.vocabulary = info_.positions = 8;
    info_.dtype = DType::Float64;
  }

 protected:
  Var forward(Tape& tape, const Batch& /*batch*/) const override {
    const std::vector<double> v{1, 0, 0, 1, 1, 1, 2, -1};
    tape.leaf(Tensor::of({1, 4, 2}, v), Site::V);
    tape.leaf(testing::some_pattern(1, 4, 0, false).reshaped({1, 1, 4, 4}), Site::Pattern);
    return tape.leaf(Tensor::of({1, 2}, std::vector<double>{1, 2}), Site::Logits);
  }
};

TEST(EffectiveAttention, ModelsWithoutBlocks) {
  const Bare model;
  const Study study(model, {.ids = {{1, 2, 3, 4}}}, {});
  EXPECT_EQ(detail(explain(study), "rank", 0), 2);
  EXPECT_THROW(explain(study, {{"value_bias", "false"}}), Unsupported);
}

}  // namespace
}  // namespace headwater
