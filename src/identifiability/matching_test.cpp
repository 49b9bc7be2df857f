#include "identifiability/matching.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "support/random.h"

namespace headwater {
namespace {

// The worked example: x = (1,0), (0,2), (3,3) and e = (2.6,1.4), (.3,1), (1.2,1.1).
const std::vector<double> worked_x{1, 0, 0, 2, 3, 3}, worked_e{2.6, 1.4, .3, 1.0, 1.2, 1.1};

ProbeText text_of(std::vector<int> ids, std::vector<bool> special = {}) {
  if (special.empty()) special.assign(ids.size(), false);
  return {.ids = std::move(ids), .type_ids = {}, .special = std::move(special)};
}

std::span<const double> row(const std::vector<double>& rows, std::size_t i) {
  return {rows.data() + 2 * i, 2};
}

TEST(Matching, DistancesOfTheWorkedExample) {
  const double cosine[3][3] = {
      {.119529, .525900, .042174}, {.712652, .042174, .119529}, {.262846, .324275, .000944}};
  const double l2[3][3] = {
      {2.126029, 2.668333, 1.649242}, {1.220656, 1.044031, 3.360060}, {1.118034, 1.500000, 2.617250}};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(token_distance(row(worked_e, i), row(worked_x, k), TokenDistance::Cosine), cosine[i][k],
                  5e-7);
      EXPECT_NEAR(token_distance(row(worked_e, i), row(worked_x, k), TokenDistance::L2), l2[i][k], 5e-7);
    }
}

TEST(Matching, NearestAndRatesOfTheWorkedExample) {
  const std::vector<bool> all(3, true);
  const Index cosine[] = {2, 1, 2}, l2[] = {2, 1, 0};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(nearest(row(worked_e, i), worked_x, all, TokenDistance::Cosine), cosine[i]);
    EXPECT_EQ(nearest(row(worked_e, i), worked_x, all, TokenDistance::L2), l2[i]);
  }
  const ProbeText text = text_of({5, 6, 7});
  const Tensor mapped = Tensor::of({3, 2}, worked_e), targets = Tensor::of({3, 2}, worked_x);
  EXPECT_EQ(match_in_texts({&text}, mapped, targets, TokenDistance::Cosine)[0].id, 2);
  EXPECT_EQ(match_in_texts({&text}, mapped, targets, TokenDistance::L2)[0].id, 1);
}

TEST(Matching, TiesGoToTheLowestIndexAndCountById) {
  const ProbeText text = text_of({1, 9, 9, 2}, {true, false, false, true});
  const Tensor targets = Tensor::of({4, 2}, std::vector<double>{1, 0, 0, 1, 0, 1, -1, 0});
  const TextHits hits = match_in_texts({&text}, targets, targets, TokenDistance::Cosine)[0];
  EXPECT_EQ(hits.id, 4);
  EXPECT_EQ(hits.position, 3);  // the second 9 is taken for the first
  EXPECT_EQ(hits.content_id, 2);
  EXPECT_EQ(hits.content_position, 1);
}

TEST(Matching, SpecialTokensAreNoCandidatesOfTheContent) {
  const ProbeText text = text_of({1, 9, 8}, {true, false, false});
  const Tensor targets = Tensor::of({3, 2}, std::vector<double>{1, 0, 1, 1, 0, 1});
  const Tensor mapped = Tensor::of({3, 2}, std::vector<double>{1, 0, 1, 0.1, 0, 1});
  const TextHits hits = match_in_texts({&text}, mapped, targets, TokenDistance::Cosine)[0];
  EXPECT_EQ(hits.id, 2);          // 9 is nearest to the special token
  EXPECT_EQ(hits.content_id, 2);  // and among the content to itself
}

TEST(Matching, ZeroAndNonFiniteVectorsAreNotIdentified) {
  const ProbeText text = text_of({5, 6, 7});
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const Tensor targets = Tensor::of({3, 2}, std::vector<double>{0, 0, 0, 2, 3, 3});
  const Tensor mapped = Tensor::of({3, 2}, std::vector<double>{0, 0, nan, 1, inf, 0});
  EXPECT_EQ(match_in_texts({&text}, mapped, targets, TokenDistance::Cosine)[0].id, 0);
  EXPECT_EQ(match_in_texts({&text}, mapped, targets, TokenDistance::L2)[0].id, 1);  // 0 is at 0
  EXPECT_TRUE(std::isnan(token_distance(row(worked_x, 0), std::vector<double>{0, 0}, TokenDistance::Cosine)));
}

TEST(Matching, AVocabularyIsSearchedWhole) {
  constexpr Index V = 4500, D = 12;  // three blocks of words
  const Tensor words = testing::random_tensor({V, D}, 1);
  std::vector<int> ids;
  for (int i = 0; i < 300; ++i) ids.push_back(i * 15);
  std::vector<double> noisy;
  const Tensor noise = testing::random_tensor({300, D}, 2);
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (Index c = 0; c < D; ++c)
      noisy.push_back(words.at(ids[i] * D + c) + noise.at(static_cast<Index>(i) * D + c));
  const ProbeText text = text_of(ids);
  for (const TokenDistance distance : {TokenDistance::Cosine, TokenDistance::L2}) {
    int expected = 0;
    const std::vector<double> all = words.to_doubles();
    for (std::size_t i = 0; i < ids.size(); ++i)
      expected += nearest({noisy.data() + i * D, D}, all, std::vector<bool>(V, true), distance) == ids[i];
    const auto hits = match_in_vocabulary({&text}, Tensor::of({300, D}, noisy), words, distance);
    EXPECT_EQ(hits[0].id, expected);
    EXPECT_GT(expected, 30);
    EXPECT_LT(expected, 290);
    EXPECT_EQ(hits[0].position, 0);
  }
}

TEST(Matching, IntervalsAreWilsonsWithTextsAsClusters) {
  // Texts of one token each: S/(S−1) leaves 19 of the 20 trials. Wilson's formula in Python at 17.1 of 19.
  std::vector<int> one(20, 1);
  one[3] = one[7] = 0;
  const std::vector<Index> single(20, 1);
  const TokenRate plain = rate_of(one, single);
  EXPECT_DOUBLE_EQ(plain.rate, 0.9);
  EXPECT_NEAR(plain.low, 0.692508445918864, 1e-12);
  EXPECT_NEAR(plain.high, 0.972948174839043, 1e-12);
  // Computed apart with numpy: design effect 4.0414653784219.
  const TokenRate clustered = rate_of(std::vector<int>{9, 2, 5, 7}, std::vector<Index>{10, 8, 5, 9});
  EXPECT_NEAR(clustered.rate, 0.71875, 1e-15);
  EXPECT_NEAR(clustered.low, 0.3805646776091077, 1e-12);
  EXPECT_NEAR(clustered.high, 0.9140163601110686, 1e-12);
  // All hit: every text is one trial. scipy.stats.binomtest(12, 12).
  const TokenRate full = rate_of(std::vector<int>(12, 5), std::vector<Index>(12, 5));
  EXPECT_NEAR(full.low, 0.7575059933447592, 1e-12);
  EXPECT_EQ(full.high, 1);
  EXPECT_TRUE(std::isnan(rate_of({}, {}).rate));
}

}  // namespace
}  // namespace headwater
