#include "heads/pruning.h"

#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "checkpoint/checkpoint.h"
#include "models/family.h"
#include "support/fakes.h"
#include "support/scratch_folder.h"
#include "support/source_folder.h"
#include "support/tiny_models.h"

namespace headwater {
namespace {

namespace fs = std::filesystem;

const std::string models = std::string(HEADWATER_SOURCE_DIR) + "/tests/golden/models/";
const Advance no_progress = [](double) {};

HeadImportance two_layers() {
  return {.ranking = "by hand",
          .layers = 2,
          .heads = 5,
          .inputs = 1,
          .scores = {.5, .1, .4, .2, .3, .9, .8, .1, .6, .7}};
}

using Heads = std::vector<std::pair<int, int>>;
Heads removed(const HeadMask& mask) {
  Heads gone;
  for (std::size_t l = 0; l < mask.size(); ++l)
    for (std::size_t h = 0; h < mask[l].size(); ++h)
      if (!mask[l][h]) gone.emplace_back(l, h);
  return gone;
}

TEST(PrunedMask, RanksOverAllHeadsOrWithinLayers) {
  EXPECT_EQ(removed(pruned_mask(two_layers(), 0, false, false)), Heads{});
  EXPECT_EQ(removed(pruned_mask(two_layers(), 0.3, false, false)), (Heads{{0, 1}, {0, 3}, {1, 2}}));
  EXPECT_EQ(removed(pruned_mask(two_layers(), 0.3, false, true)), (Heads{{1, 0}, {1, 1}, {1, 4}}));
  EXPECT_EQ(removed(pruned_mask(two_layers(), 0.4, true, false)), (Heads{{0, 1}, {0, 3}, {1, 2}, {1, 3}}));
  EXPECT_EQ(removed(pruned_mask(two_layers(), 0.4, true, true)), (Heads{{0, 0}, {0, 2}, {1, 0}, {1, 1}}));
  EXPECT_EQ(removed(pruned_mask(two_layers(), 1, false, false)).size(), 10U);
}

TEST(PrunedMask, CountsWholeHeadsAndBreaksTiesByPlace) {
  EXPECT_EQ(removed(pruned_mask(two_layers(), 0.39, false, false)).size(), 3U) << "int(3.9)";
  EXPECT_EQ(removed(pruned_mask(two_layers(), 0.39, true, false)).size(), 2U) << "int(1.95) of each layer";
  EXPECT_EQ(removed(pruned_mask(two_layers(), 0.1, false, false)), (Heads{{0, 1}}))
      << "before its equal (1, 2)";
}

TEST(PruningCurves, RefusesWhatIsNoCurve) {
  const testing::Fixture fixture = testing::make_fixture(Task::TextClassification);
  const std::vector<Labelled> none;
  PruningOptions options;
  options.rates = {0, 1.5};
  EXPECT_THROW(pruning_curves(fixture.loaded, none, {}, options, no_progress), InputError);
  options = {.random_orders = 0};
  EXPECT_THROW(pruning_curves(fixture.loaded, none, {}, options, no_progress), InputError);
}

class SavePruned : public ::testing::Test {
 protected:
  const testing::ScratchFolder scratch;
  const fs::path place = scratch.path() / "pruned";

  static Checkpoint opened(const std::string& path) {
    return open_checkpoint(find_model(path, {}), DType::Float64);
  }
};

// Every family that classifies, stored as float32, float16, in shards, and with GPT-2's transposed weights.
TEST_F(SavePruned, IsTheMaskedModel) {
  for (const char* name :
       {"bert_sequence", "bert_sharded", "roberta_sequence", "distilbert_sequence", "electra_sequence",
        "gpt2_sequence", "llama_sequence", "vit_classification", "vit_f16"}) {
    SCOPED_TRACE(name);
    const Checkpoint original = opened(models + name);
    const std::unique_ptr<Model> model = load_model(original);
    const ModelInfo& info = model->info();
    HeadMask mask = all_heads(info);
    for (int l = 0; l < info.last().layers; ++l)
      mask[static_cast<std::size_t>(l)][static_cast<std::size_t>(l % info.last().heads)] = false;
    save_pruned(models + name, original.weight_files, info, mask, place.string());

    std::vector<Edit> edits;
    for (int l = 0; l < info.last().layers; ++l)
      edits.push_back({{Site::Pattern, l}, [h = l % info.last().heads](Tensor& pattern) {
                         const Index cells = pattern.dim(2) * pattern.dim(3);
                         double* values = pattern.data<double>();
                         for (Index b = 0; b < pattern.dim(0); ++b)
                           std::fill_n(values + (b * pattern.dim(1) + h) * cells, cells, 0.0);
                       }});
    const Batch batch = testing::random_batch(info, 2, 6, 3);
    Tape whole, masked(Keep::Everything, edits), pruned;
    const Tensor before = model->run(whole, batch).value;
    const Tensor expected = model->run(masked, batch).value;
    const Tensor found = load_model(opened(place.string()))->run(pruned, batch).value;
    double gap = 0, effect = 0;
    for (Index i = 0; i < expected.size(); ++i) {
      gap = std::max(gap, std::abs(found.at(i) - expected.at(i)));
      effect = std::max(effect, std::abs(before.at(i) - expected.at(i)));
    }
    EXPECT_LT(gap, 1e-12);
    EXPECT_GT(effect, 1e-6) << "the heads do something";
    fs::remove_all(place);
  }
}

TEST_F(SavePruned, NeverWritesOverAFolder) {
  const Checkpoint original = opened(models + "bert_sequence");
  const std::unique_ptr<Model> model = load_model(original);
  fs::create_directories(place);
  EXPECT_THROW(save_pruned(models + "bert_sequence", original.weight_files, model->info(),
                           all_heads(model->info()), place.string()),
               InputError);
  EXPECT_TRUE(fs::is_empty(place));
}

TEST_F(SavePruned, LeavesNothingBehindWhenItFails) {
  const Checkpoint original = opened(models + "bert_sequence");
  const std::unique_ptr<Model> model = load_model(original);
  ModelInfo deeper = model->info();
  deeper.last().layers = 3;  // a layer whose output projection no file has
  EXPECT_THROW(
      save_pruned(models + "bert_sequence", original.weight_files, deeper, all_heads(deeper), place.string()),
      Unsupported);
  ModelInfo odd = model->info();
  odd.last().heads = 3;  // does not divide 16 inputs
  EXPECT_THROW(
      save_pruned(models + "bert_sequence", original.weight_files, odd, all_heads(odd), place.string()),
      FormatError);
  EXPECT_THROW(save_pruned(models + "no such folder", original.weight_files, model->info(),
                           all_heads(model->info()), place.string()),
               InputError);
  EXPECT_FALSE(fs::exists(place));
  EXPECT_FALSE(fs::exists(place.string() + ".part"));
}

}  // namespace
}  // namespace headwater
