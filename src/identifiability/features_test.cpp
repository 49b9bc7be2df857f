#include "identifiability/features.h"

#include <cmath>

#include <gtest/gtest.h>

#include "models/family.h"
#include "support/random.h"
#include "support/source_folder.h"

namespace headwater {
namespace {

using testing::largest_difference;
using testing::random_tensor;

std::unique_ptr<Model> tiny(const std::string& name) {
  return load_model(
      open_checkpoint(find_model(HEADWATER_SOURCE_DIR "/tests/golden/models/" + name, {}), DType::Float32));
}

std::vector<ProbeText> some_texts(int count) {
  std::vector<ProbeText> texts;
  for (int t = 0; t < count; ++t) {
    ProbeText text;
    for (int i = 0; i < 3 + t % 4; ++i) {
      text.ids.push_back(3 + (7 * t + 5 * i) % 40);
      text.type_ids.push_back(i > 2 ? 1 : 0);
      text.special.push_back(i == 0);
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

TEST(Features, RowsDependNeitherOnBatchesNorOnOrder) {
  for (const char* name :
       {"bert_model", "gpt2_causal_lm", "llama_causal_lm", "electra_model", "bert_masked_lm"}) {
    const auto model = tiny(name);
    std::vector<ProbeText> texts = some_texts(11);
    if (model->info().segments == 0)
      for (ProbeText& text : texts) text.type_ids.clear();
    const std::vector<Place> places{
        place_of_state(0), place_of_state(1), place_of_state(model->info().last().layers),
        place_of_target(TokenTarget::Word, model->info()), place_of_target(TokenTarget::Sum, model->info())};
    double done = 0;
    const std::vector<Tensor> all = capture(*model, texts, places, [&](double share) { done = share; });
    EXPECT_EQ(done, 1);
    const std::vector<Index> first = first_rows(texts);
    for (std::size_t t = 0; t < texts.size(); ++t) {
      const std::vector<Tensor> alone = capture(*model, {&texts[t], 1}, places, {});
      for (std::size_t p = 0; p < places.size(); ++p)
        EXPECT_EQ(largest_difference(alone[p], all[p].rows(first[t], texts[t].tokens())), 0) << name;
    }
    const Tensor words = model->words();
    for (Index c = 0; c < words.dim(1); ++c)
      EXPECT_EQ(all[3].at(c), words.at(texts[0].ids[0] * words.dim(1) + c)) << name;
  }
}

TEST(Features, TargetsAreThePlacesTheyAreNamedAfter) {
  const auto bert = tiny("bert_model");
  const auto texts = some_texts(3);
  const auto values = capture(
      *bert, texts,
      {place_of_target(TokenTarget::Word, bert->info()), place_of_target(TokenTarget::Sum, bert->info()),
       place_of_target(TokenTarget::Hidden, bert->info()), place_of_state(0)},
      {});
  EXPECT_EQ(largest_difference(values[2], values[3]), 0);
  EXPECT_GT(largest_difference(values[0], values[1]), 0);
  EXPECT_GT(largest_difference(values[1], values[2]), 0);
}

TEST(Features, PairCosineIsTheMeanOverAllPairs) {
  const Tensor rows = random_tensor({9, 5}, 4);
  double sum = 0;
  for (Index i = 0; i < 9; ++i)
    for (Index j = 0; j < 9; ++j) {
      if (i == j) continue;
      const Tensor a = rows.rows(i, 1), b = rows.rows(j, 1);
      sum += testing::dot(a, b) / std::sqrt(testing::dot(a, a) * testing::dot(b, b));
    }
  EXPECT_NEAR(mean_pair_cosine(rows), sum / 72, 1e-14);
  // A row without a direction takes no part.
  EXPECT_NEAR(mean_pair_cosine(Tensor::of({3, 2}, std::vector<double>{1, 0, 0, 0, 1, 1})), std::sqrt(0.5),
              1e-15);
  EXPECT_TRUE(std::isnan(mean_pair_cosine(Tensor::of({1, 2}, std::vector<double>{1, 0}))));
}

TEST(Features, UnitRowsHaveLengthOneOrZero) {
  const Tensor unit = unit_rows(Tensor::of({2, 2}, std::vector<double>{3, 4, 0, 0}));
  EXPECT_DOUBLE_EQ(unit.at(0), 0.6);
  EXPECT_DOUBLE_EQ(unit.at(1), 0.8);
  EXPECT_EQ(unit.at(2), 0);
}

}  // namespace
}  // namespace headwater
