#include "numerics/flow.h"

#include <cmath>
#include <cstring>
#include <numeric>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "base/parallel.h"
#include "support/random.h"
#include "support/random_maps.h"
#include "support/reference_flow.h"

namespace headwater {
namespace {

using testing::MapKind;
using testing::random_maps;

const std::vector<MapKind> kinds = {
    {},
    {.sharpness = 3},
    {.heads = 1, .sharpness = 4},
    {.heads = 1, .sharpness = 2, .residual = 0},
    {.heads = 4, .sharpness = 2, .causal = true},
    {.heads = 1, .sharpness = 4, .causal = true, .residual = 0},
};

double at(const Tensor& t, Index l, Index k, Index j) {
  return t.at((l * t.dim(1) + k) * t.dim(1) + j);
}

// A half of a given matrix and a half of the identity.
Tensor half_identity(std::vector<double> cells, Index L, Index T) {
  for (Index i = 0; i < L * T * T; ++i) cells[static_cast<std::size_t>(i)] /= 2;
  for (Index r = 0; r < L * T; ++r) cells[static_cast<std::size_t>(r * T + r % T)] += 0.5;
  return Tensor::of({L, T, T}, cells);
}

void expect_sound(const Flow& flow) {
  EXPECT_EQ(flow.bound_violation, 0);
  EXPECT_EQ(flow.audit_error, 0);
}

TEST(AttentionFlow, FourLayersWorkedByHand) {
  const Tensor maps = half_identity({.6, .3,  .1,  .2, .5, .3, .1,  .1,  .8,  //
                                     .2, .2,  .6,  .7, .2, .1, .3,  .4,  .3,  //
                                     .1, .8,  .1,  .4, .4, .2, .25, .25, .5,  //
                                     .5, .25, .25, .1, .1, .8, .6,  .2,  .2},
                                    4, 3);
  const Tensor expected =
      Tensor::of({4, 3, 3}, std::vector<double>{.8,  .15, .05,  .1,  .75, .15, .05, .05,  .9,   //
                                                .75, .3,  .45,  .5,  .8,  .25, .3,  .4,   .85,  //
                                                .95, .75, .6,   .8,  .95, .55, .55, .625, 1,    //
                                                .95, .95, .825, .95, .95, 1,   .95, .95,  1});
  const Flow flow = attention_flow(maps);
  EXPECT_LT(testing::largest_difference(flow.values, expected), 1e-11);
  EXPECT_EQ(flow.closed_at, (std::vector<int>{3, 3, -1}));
  EXPECT_EQ(flow.saturated_layer, -1);
  EXPECT_EQ(flow.counts.audited, 8);
  expect_sound(flow);
}

TEST(AttentionFlow, EqualsTheSmallestCutOfEveryKind) {
  for (std::size_t i = 0; i < kinds.size(); ++i)
    for (std::uint32_t seed = 0; seed < 3; ++seed) {
      const Index L = 4, T = 3 + seed % 3;
      const Tensor maps = random_maps(L, T, kinds[i], seed);
      const Flow flow = attention_flow(maps);
      expect_sound(flow);
      for (Index l = 0; l < L; ++l)
        for (Index k = 0; k < T; ++k)
          for (Index t = 0; t < T; ++t)
            ASSERT_NEAR(at(flow.values, l, k, t), testing::smallest_cut(maps, l, k, t), 1e-11)
                << "kind " << i << " seed " << seed << " layer " << l << " from " << k << " to " << t;
    }
}

TEST(AttentionFlow, EqualsAugmentingPathsOnLargerMaps) {
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const Index L = 6, T = 24;
    const Tensor maps = random_maps(L, T, kinds[i], 11);
    const Flow flow = attention_flow(maps);
    expect_sound(flow);
    for (Index n = 0; n < 40; ++n) {
      const Index l = 2 + n % 4, k = (n * 7 + 3) % T, t = (n * 11) % T;
      ASSERT_NEAR(at(flow.values, l, k, t), testing::augmenting_flow(maps, l, k, t), 1e-9) << "kind " << i;
    }
  }
}

// Rows of any sum, empty rows, empty columns, and cells that are equal to the last bit.
TEST(AttentionFlow, DegenerateMaps) {
  const Index L = 4, T = 4;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    std::mt19937 generator(seed);
    Tensor maps = Tensor::zeros({L, T, T}, DType::Float64);
    for (Index i = 0; i < maps.size(); ++i) maps.data<double>()[i] = static_cast<double>(generator() % 4) / 8;
    for (Index j = 0; j < T; ++j) maps.data<double>()[(seed % L * T + 1) * T + j] = 0;
    if (seed % 3 == 0)
      for (Index k = 0; k < T; ++k) maps.data<double>()[k * T + 2] = 0;
    const Flow flow = attention_flow(maps);
    expect_sound(flow);
    for (Index l = 0; l < L; ++l)
      for (Index k = 0; k < T; ++k)
        for (Index t = 0; t < T; ++t)
          ASSERT_NEAR(at(flow.values, l, k, t), testing::smallest_cut(maps, l, k, t), 1e-11)
              << "seed " << seed << " layer " << l << " from " << k << " to " << t;
  }
}

TEST(AttentionFlow, LiesBetweenRolloutAndItsBounds) {
  const Index L = 6, T = 16;
  for (const MapKind& kind : kinds) {
    const Tensor maps = random_maps(L, T, kind, 3);
    const Flow flow = attention_flow(maps);
    std::vector<double> rollout(static_cast<std::size_t>(T * T), 0.0);
    for (Index k = 0; k < T; ++k) rollout[static_cast<std::size_t>(k * T + k)] = 1;
    for (Index l = 0; l < L; ++l) {
      std::vector<double> next(rollout.size(), 0.0);
      for (Index k = 0; k < T; ++k)
        for (Index p = 0; p < T; ++p)
          for (Index t = 0; t < T; ++t)
            next[static_cast<std::size_t>(k * T + t)] +=
                at(maps, l, k, p) * rollout[static_cast<std::size_t>(p * T + t)];
      rollout = next;
      for (Index k = 0; k < T; ++k)
        for (Index t = 0; t < T; ++t) {
          double column = 0, minima = 0;
          for (Index p = 0; p < T; ++p) {
            column += at(maps, 0, p, t);
            minima += l == 0 ? 0 : std::min(at(maps, l, k, p), at(flow.values, l - 1, p, t));
          }
          const double f = at(flow.values, l, k, t);
          ASSERT_GE(f, rollout[static_cast<std::size_t>(k * T + t)] - 1e-10);
          ASSERT_LE(f, std::min(1.0, column) + 1e-10);
          ASSERT_TRUE(l == 0 || f <= minima + 1e-10);
        }
    }
  }
}

TEST(AttentionFlow, ClosedColumnsStayClosed) {
  const Index L = 8, T = 20;
  const Tensor maps = random_maps(L, T, {}, 2);
  const Flow flow = attention_flow(maps);
  ASSERT_GE(flow.saturated_layer, 2) << "twelve averaged heads with a residual saturate within a few layers";
  ASSERT_LT(flow.saturated_layer, 6);
  EXPECT_EQ(flow.saturated_layer, *std::max_element(flow.closed_at.begin(), flow.closed_at.end()));
  EXPECT_GT(flow.counts.closed, 0);
  for (Index t = 0; t < T; ++t) {
    double column = 0;
    for (Index p = 0; p < T; ++p) column += at(maps, 0, p, t);
    const Index from = flow.closed_at[static_cast<std::size_t>(t)];
    for (Index k = 0; k < T; ++k) {
      for (Index l = from; l < L; ++l)
        EXPECT_EQ(at(flow.values, l, k, t), at(flow.values, from, 0, t)) << "layer " << l << " token " << t;
      EXPECT_NEAR(testing::augmenting_flow(maps, L - 1, k, t), std::min(1.0, column), 1e-9);
    }
  }
  const FlowCounts& n = flow.counts;
  EXPECT_EQ(n.direct + n.solved + n.certified + n.closed, L * T * T) << "every pair was answered once";
}

TEST(AttentionFlow, FollowsAPermutationOfTheTokens) {
  const Index L = 5, T = 13;
  const Tensor maps = random_maps(L, T, {.heads = 2, .sharpness = 3}, 9);
  const auto moved = [&](Index i) { return (5 * i + 2) % T; };
  Tensor permuted = Tensor::zeros(maps.shape(), DType::Float64);
  for (Index l = 0; l < L; ++l)
    for (Index k = 0; k < T; ++k)
      for (Index j = 0; j < T; ++j)
        permuted.data<double>()[(l * T + moved(k)) * T + moved(j)] = at(maps, l, k, j);
  const Flow flow = attention_flow(maps), other = attention_flow(permuted);
  for (Index l = 0; l < L; ++l)
    for (Index k = 0; k < T; ++k)
      for (Index j = 0; j < T; ++j)
        EXPECT_NEAR(at(other.values, l, moved(k), moved(j)), at(flow.values, l, k, j), 1e-10);
}

TEST(AttentionFlow, GrowsWithItsCapacities) {
  const Tensor maps = random_maps(5, 10, {.heads = 1, .sharpness = 3}, 4);
  const Flow flow = attention_flow(maps);
  for (const double factor : {0.001, 3.0, 1000.0}) {
    Tensor scaled = maps.clone();
    for (Index i = 0; i < scaled.size(); ++i) scaled.data<double>()[i] *= factor;
    const Flow other = attention_flow(scaled);
    for (Index i = 0; i < scaled.size(); ++i)
      EXPECT_NEAR(other.values.at(i) / factor, flow.values.at(i), 1e-10) << factor;
  }
}

TEST(AttentionFlow, ChosenRowsAreTheRowsOfTheWhole) {
  const Index L = 7, T = 40;
  for (const MapKind& kind : kinds) {
    const Tensor maps = random_maps(L, T, kind, 6);
    const Flow whole = attention_flow(maps);
    for (const std::vector<int>& rows : {std::vector<int>{17}, {0, 39}, {1, 2, 3, 4, 5, 6, 7, 8}})
      for (const bool last : {false, true}) {
        const Flow part = attention_flow(maps, {.rows = rows, .last_layer_only = last});
        expect_sound(part);
        for (const int k : rows)
          for (Index l = last ? L - 1 : 0; l < L; ++l)
            for (Index t = 0; t < T; ++t) ASSERT_EQ(at(part.values, l, k, t), at(whole.values, l, k, t));
        EXPECT_TRUE(std::isnan(at(part.values, L - 1, 20, 0))) << "a row nobody asked for";
      }
  }
}

TEST(AttentionFlow, OneLayerIsItsMap) {
  const Tensor maps = random_maps(1, 5, {}, 8);
  const Flow flow = attention_flow(maps);
  EXPECT_LT(testing::largest_difference(flow.values, maps), 1e-11);
  EXPECT_EQ(flow.counts.audited, 0);
  EXPECT_LT(
      testing::largest_difference(
          attention_flow(maps, {.rows = {0}, .last_layer_only = true}).values.reshaped({5, 5}).rows(0, 1),
          maps.reshaped({5, 5}).rows(0, 1)),
      1e-11);
}

TEST(AttentionFlow, TheNumberOfThreadsChangesNoBit) {
  const int before = thread_count();
  const Tensor maps = random_maps(6, 30, {.heads = 1, .sharpness = 3}, 12);
  set_thread_count(1);
  const Flow one = attention_flow(maps);
  for (const int threads : {2, 3}) {
    set_thread_count(threads);
    const Flow many = attention_flow(maps);
    EXPECT_EQ(std::memcmp(one.values.data<double>(), many.values.data<double>(), one.values.bytes()), 0);
    EXPECT_EQ(one.closed_at, many.closed_at);
    EXPECT_EQ(one.counts.solved, many.counts.solved);
    EXPECT_EQ(one.counts.certified, many.counts.certified);
  }
  set_thread_count(before);
}

TEST(AttentionFlow, TellsProgressAndCanBeStopped) {
  const Tensor maps = random_maps(4, 10, {}, 1);
  for (const std::vector<int>& rows : {std::vector<int>{}, std::vector<int>{2}}) {
    double last = 0;
    attention_flow(maps, {.rows = rows, .progress = [&](double done) {
                            EXPECT_GT(done, last);
                            last = done;
                          }});
    EXPECT_EQ(last, 1);
    struct Stop {};
    int calls = 0;
    const auto stop = [&](double) {
      if (++calls == 3) throw Stop();
    };
    EXPECT_THROW(attention_flow(maps, {.rows = rows, .progress = stop}), Stop);
  }
}

TEST(AttentionFlow, RefusesRowsOutOfRange) {
  const Tensor maps = random_maps(2, 3, {}, 1);
  EXPECT_THROW(attention_flow(maps, {.rows = {3}}), InputError);
  EXPECT_THROW(attention_flow(maps, {.rows = {-1}}), InputError);
}

TEST(AttentionFlow, KnowsItsMemory) {
  EXPECT_GT(attention_flow_bytes(12, 512, 1), std::size_t{12} * 512 * 512 * 4 * 8);
  EXPECT_GT(attention_flow_bytes(12, 512, 2), attention_flow_bytes(12, 512, 1));
}

}  // namespace
}  // namespace headwater
