#include "study/generation.h"

#include <cmath>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "support/fakes.h"

namespace headwater {
namespace {

using testing::make_fixture;

TEST(Continuation, IsGreedyAndStopsAtTheEnd) {
  auto fixture = make_fixture(Task::TextGeneration);
  // Row t says what follows token t: 4 5 6 then the end token 1.
  fixture.model->logits = Tensor::zeros({12, 12}, DType::Float64);
  std::vector<double> z(144, 0.0);
  const int next[] = {0, 0, 0, 7, 6, 1, 4, 4, 4, 4, 4, 4};
  for (std::size_t t = 0; t < 12; ++t) z[t * 12 + static_cast<std::size_t>(next[t])] = 1;
  fixture.model->logits = Tensor::of({12, 12}, z);
  fixture.loaded.eos = {1};
  const Encoding encoding = fixture.loaded.tokenizer->encode("not bad");  // 4 tokens: the next is row 3
  const Batch batch{.ids = {encoding.ids()}};
  const Continuation made = continue_text(fixture.loaded, batch, 10);
  EXPECT_EQ(made.ids, (std::vector<int>{7, 6, 1}));
  EXPECT_EQ(made.text, " all at");
  EXPECT_EQ(continue_text(fixture.loaded, batch, 1).ids, (std::vector<int>{7}));
  fixture.loaded.eos = {};
  EXPECT_EQ(continue_text(fixture.loaded, batch, 100).ids.size(), 8U) << "12 positions, 4 taken";
}

TEST(Continuation, NeedsALanguageModelAndACount) {
  const auto classifier = make_fixture(Task::TextClassification);
  const Encoding encoding = classifier.loaded.tokenizer->encode("not");
  const Batch batch{.ids = {encoding.ids()}};
  EXPECT_THROW(continue_text(classifier.loaded, batch, 1), InputError);
  EXPECT_THROW(continue_text(make_fixture(Task::TextGeneration).loaded, batch, -1), InputError);
}

// Three words and an end (3). Worked by hand: log p of every step is that of one row.
TEST(Beams, KeepTheBestMeansOfFinishedTexts) {
  auto fixture = make_fixture(Task::TextGeneration);
  std::vector<double> z(144, -100.0);  // 12 positions × 12 words
  const auto row = [&](std::size_t t, std::vector<double> p) {
    for (std::size_t k = 0; k < p.size(); ++k) z[t * 12 + k] = std::log(p[k]);
  };
  row(0, {0.5, 0.3, 0.15, 0.05});
  row(1, {0.4, 0.1, 0.1, 0.4});
  row(2, {0.25, 0.25, 0.25, 0.25});
  fixture.model->logits = Tensor::of({12, 12}, z);
  const Batch start{.ids = {{4}}};
  const GenerationOptions options{.max_new_tokens = 2, .ends = {3}};
  // Step 1 goes on with 0 and 1; step 2 ends all: 00 and 03 have log(0.5 · 0.4) / 2 each, the first of equals
  // first.
  const std::vector<Generated> found = search_beams(*fixture.model, start, 2, options);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].ids, (std::vector<int>{0, 0}));
  EXPECT_EQ(found[1].ids, (std::vector<int>{0, 3}));
  EXPECT_NEAR(found[0].score, std::log(0.2) / 2, 1e-12);
  EXPECT_EQ(generate_greedily(*fixture.model, start, options).ids, (std::vector<int>{0, 0}));
}

TEST(Beams, AreAtLeastOne) {
  const auto fixture = make_fixture(Task::TextGeneration);
  EXPECT_THROW(search_beams(*fixture.model, {.ids = {{4}}}, 0, {.max_new_tokens = 1}), InputError);
}

}  // namespace
}  // namespace headwater
