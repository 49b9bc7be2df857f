#include "methods/effective_attention/effective.h"

#include <cmath>

#include <gtest/gtest.h>

#include "numerics/dense.h"
#include "support/random.h"

namespace headwater {
namespace {

const RankRule float64{.epsilon = 2.2e-16};
using Rows = std::vector<double>;

// Worked out in exact rationals.
const Rows values{1, 0, 0, 1, 1, 1, 2, -1};
const Rows pattern{.4, .3, .2, .1, .25, .25, .25, .25, .1, .2, .3, .4, .7, .1, .1, .1};

Rows with_ones(const Rows& v, Index rows) {
  Rows wide;
  const Index width = static_cast<Index>(v.size()) / rows;
  for (Index t = 0; t < rows; ++t) {
    wide.insert(wide.end(), v.begin() + t * width, v.begin() + (t + 1) * width);
    wide.push_back(1);
  }
  return wide;
}

Rows projected(const ValueSpace& space, const Rows& a, Index rows) {
  Rows x(a.size());
  space.project(a.data(), x.data(), rows);
  return x;
}

void expect_near(const Rows& found, const Rows& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], tolerance) << k;
}

Rows random_rows(Index rows, Index cols, std::uint32_t seed) {
  return testing::random_tensor({rows, cols}, seed).to_doubles();
}

// Rows of positive weights that sum to 1.
Rows random_pattern(Index tokens, std::uint32_t seed) {
  Rows a = random_rows(tokens, tokens, seed);
  for (Index i = 0; i < tokens; ++i) {
    double sum = 0;
    for (Index j = 0; j < tokens; ++j)
      sum += a[static_cast<std::size_t>(i * tokens + j)] =
          std::exp(a[static_cast<std::size_t>(i * tokens + j)]);
    for (Index j = 0; j < tokens; ++j) a[static_cast<std::size_t>(i * tokens + j)] /= sum;
  }
  return a;
}

// Largest |(X − A) V| over the size of A V.
double output_error(const Rows& x, const Rows& a, const Rows& v, Index tokens) {
  const Index width = static_cast<Index>(v.size()) / tokens;
  double missed = 0, written = 0;
  for (Index i = 0; i < static_cast<Index>(a.size()) / tokens; ++i)
    for (Index e = 0; e < width; ++e) {
      double before = 0, after = 0;
      for (Index j = 0; j < tokens; ++j) {
        before += a[static_cast<std::size_t>(i * tokens + j)] * v[static_cast<std::size_t>(j * width + e)];
        after += x[static_cast<std::size_t>(i * tokens + j)] * v[static_cast<std::size_t>(j * width + e)];
      }
      missed += (after - before) * (after - before);
      written += before * before;
    }
  return std::sqrt(missed / written);
}

double distance(const Rows& x, const Rows& a) {
  double apart = 0, size = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    apart += (x[k] - a[k]) * (x[k] - a[k]);
    size += a[k] * a[k];
  }
  return std::sqrt(apart / size);
}

TEST(Effective, WorkedExample) {
  const Spectrum spectrum = spectrum_of(values, 4, 2, float64);
  EXPECT_EQ(spectrum.rank, 2);
  expect_near(spectrum.values, {2.510533, 1.642323}, 5e-7);
  EXPECT_EQ(rank_of(with_ones(values, 4), 4, 3, float64), 3);
  const ValueSpace space(values, 4, 2, float64);
  EXPECT_FALSE(space.identity());
  const Rows x = projected(space, pattern, 4);
  expect_near(x,
              {.164706, .188235, .352941, .141176, .191176, .147059, .338235, .235294, .217647, .105882,
               .323529, .329412, .182353, .094118, .276471, .270588},
              6e-7);
  EXPECT_LE(output_error(x, pattern, values, 4), 1e-15);
  double raw = 0, effective = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    raw += pattern[k] * pattern[k];
    effective += x[k] * x[k];
  }
  EXPECT_NEAR(std::sqrt(effective / raw), .809852, 5e-7);
  // P itself, in seventeenths, from the rows of the identity.
  const Rows one{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  Rows p{3, 1, 4, 5, 1, 6, 7, -4, 4, 7, 11, 1, 5, -4, 1, 14};
  for (double& v : p) v /= 17;
  expect_near(projected(space, one, 4), p, 1e-15);
}

TEST(Effective, WorkedExampleWithRowSumsKept) {
  const Rows expected{.266667, .366667, .2, .166667, .25, .25, .25, .25,
                      .233333, .133333, .3, .333333, .3,  .3,  .1,  .3};
  expect_near(projected(ValueSpace(with_ones(values, 4), 4, 3, float64), pattern, 4), expected, 6e-7);
  Rows biased = values;
  for (std::size_t k = 0; k < biased.size(); k += 2) {
    biased[k] += .5;
    biased[k + 1] -= .25;
  }
  expect_near(projected(ValueSpace(with_ones(biased, 4), 4, 3, float64), pattern, 4), expected, 6e-7);
  const Rows changed = projected(ValueSpace(biased, 4, 2, float64), pattern, 4);
  expect_near({changed[0], changed[1], changed[2], changed[3]}, {.180952, .195238, .342857, .166667}, 6e-7);
}

TEST(Effective, IsAProjectionThatKeepsTheOutput) {
  for (const auto& [tokens, width] : {std::pair<Index, Index>{30, 8}, {65, 64}, {100, 16}}) {
    const Rows v = random_rows(tokens, width, 3), a = random_pattern(tokens, 4);
    const ValueSpace space(v, tokens, width, float64);
    const Rows x = projected(space, a, tokens);
    EXPECT_LE(output_error(x, a, v, tokens), 1e-13);
    EXPECT_LE(distance(projected(space, x, tokens), x), 1e-13);
    Rows identity(static_cast<std::size_t>(tokens * tokens));
    for (Index k = 0; k < tokens; ++k) identity[static_cast<std::size_t>(k * tokens + k)] = 1;
    const Rows p = projected(space, identity, tokens);
    for (Index i = 0; i < tokens; ++i)
      for (Index j = 0; j < i; ++j)
        ASSERT_NEAR(p[static_cast<std::size_t>(i * tokens + j)], p[static_cast<std::size_t>(j * tokens + i)],
                    1e-13);
  }
}

TEST(Effective, FollowsAPermutationOfTheTokens) {
  constexpr Index tokens = 11, width = 3;
  const Rows v = random_rows(tokens, width, 5), a = random_pattern(tokens, 6);
  const auto moved = [](Index t) { return (t * 4 + 3) % tokens; };
  Rows v2(v.size()), a2(a.size());
  for (Index i = 0; i < tokens; ++i) {
    std::copy_n(v.begin() + i * width, width, v2.begin() + moved(i) * width);
    for (Index j = 0; j < tokens; ++j)
      a2[static_cast<std::size_t>(moved(i) * tokens + moved(j))] =
          a[static_cast<std::size_t>(i * tokens + j)];
  }
  const Rows x = projected(ValueSpace(v, tokens, width, float64), a, tokens);
  const Rows x2 = projected(ValueSpace(v2, tokens, width, float64), a2, tokens);
  for (Index i = 0; i < tokens; ++i)
    for (Index j = 0; j < tokens; ++j)
      EXPECT_NEAR(x2[static_cast<std::size_t>(moved(i) * tokens + moved(j))],
                  x[static_cast<std::size_t>(i * tokens + j)], 1e-13);
}

TEST(Effective, IdentityUpToTheHeadWidth) {
  EXPECT_TRUE(ValueSpace(random_rows(8, 8, 1), 8, 8, float64).identity());
  EXPECT_TRUE(ValueSpace(random_rows(5, 8, 1), 5, 8, float64).identity());
  EXPECT_FALSE(ValueSpace(random_rows(9, 8, 1), 9, 8, float64).identity());
  EXPECT_TRUE(ValueSpace(with_ones(random_rows(9, 8, 1), 9), 9, 9, float64).identity());
  Rows repeated = random_rows(5, 8, 1);
  std::copy_n(repeated.begin(), 8, repeated.begin() + 16);
  EXPECT_FALSE(ValueSpace(repeated, 5, 8, float64).identity());
}

// Every prefix by a decomposition of its own.
void expect_prefixes(const Rows& v, Index tokens, Index width, double tolerance) {
  GrowingValueSpace growing(v, tokens, width, float64);
  const Rows a = random_pattern(tokens, 9);
  for (Index t = 1; t <= tokens; ++t) {
    growing.grow();
    const Rows prefix(v.begin(), v.begin() + t * width);
    const Spectrum spectrum = spectrum_of(prefix, t, width, float64);
    const Svd svd = svd_of(Dense(t, width, prefix));
    const Rows row(a.begin(), a.begin() + t);
    Rows x(row.size());
    growing.project(row.data(), x.data());
    ASSERT_EQ(growing.identity(), spectrum.rank == t) << t;
    for (Index j = 0; j < t; ++j) {
      double expected = 0;
      for (Index k = 0; k < spectrum.rank; ++k) {
        double along = 0;
        for (Index i = 0; i < t; ++i) along += row[static_cast<std::size_t>(i)] * svd.u(i, k);
        expected += along * svd.u(j, k);
      }
      ASSERT_NEAR(x[static_cast<std::size_t>(j)], expected, tolerance) << t << " " << j;
    }
  }
}

TEST(Effective, PrefixesOneByOne) {
  expect_prefixes(random_rows(40, 7, 11), 40, 7, 1e-12);
  expect_prefixes(random_rows(6, 7, 12), 6, 7, 1e-13);
}

TEST(Effective, PrefixesWithRepeatedTokens) {
  Rows v = random_rows(30, 7, 13);
  for (const Index again : {2, 3, 5, 6, 11, 20}) std::copy_n(v.begin(), 7, v.begin() + again * 7);
  expect_prefixes(v, 30, 7, 1e-11);
}

TEST(Effective, PrefixesOfANarrowHeadAndOfNoneAtAll) {
  const Rows thin = random_rows(20, 3, 14);
  Rows v(20 * 7);
  for (std::size_t t = 0; t < 20; ++t)
    for (std::size_t e = 0; e < 7; ++e)
      for (std::size_t k = 0; k < 3; ++k)
        v[t * 7 + e] += thin[t * 3 + k] * std::cos(static_cast<double>(1 + e * 3 + k));
  expect_prefixes(v, 20, 7, 1e-11);
  GrowingValueSpace nothing(Rows(12), 4, 3, float64);
  nothing.grow();
  const double a = 1;
  double x = 5;
  nothing.project(&a, &x);
  EXPECT_EQ(x, 0);
}

TEST(Effective, IllConditionedValuesAreDecomposed) {
  // A common bias of 1 over noise of 1e-8: far beyond what (1) is used for.
  Rows v = random_rows(20, 4, 15);
  for (double& x : v) x = 1 + 1e-8 * x;
  const Rows a = random_pattern(20, 16);
  const Rows x = projected(ValueSpace(v, 20, 4, float64), a, 20);
  EXPECT_LE(output_error(x, a, v, 20), 1e-14);
  // Tolerances decide: at float32's the noise is gone.
  EXPECT_EQ(spectrum_of(v, 20, 4, {.epsilon = 1.19e-7}).rank, 1);
  EXPECT_EQ(spectrum_of(v, 20, 4, float64).rank, 4);
  EXPECT_EQ(spectrum_of(v, 20, 4, {.epsilon = 1.19e-7, .rtol = 1e-12}).rank, 4);
}

TEST(Effective, SmoothFadesFromAllToNothing) {
  const Rows v = random_rows(12, 3, 17), a = random_pattern(12, 18);
  const Rows exact = projected(ValueSpace(v, 12, 3, float64), a, 12);
  EXPECT_LE(distance(projected(ValueSpace::smooth(v, 12, 3, 1e-9), a, 12), exact), 1e-12);
  const double some = distance(projected(ValueSpace::smooth(v, 12, 3, 1), a, 12), exact);
  EXPECT_GT(some, 0.01);
  EXPECT_NEAR(distance(projected(ValueSpace::smooth(v, 12, 3, 1e9), a, 12), exact), 1, 1e-12);
}

TEST(Effective, NarrowFactorHasTheGramMatrixOfTheSlice) {
  constexpr Index model = 10, width = 3, stride = 6;
  const Rows out = random_rows(model, stride, 19);
  EXPECT_FALSE(narrow_factor(out.data() + 3, model, stride, width, float64));
  Rows pruned = out;
  for (Index r = 0; r < model; ++r)
    pruned[static_cast<std::size_t>(r * stride + 4)] = 2 * pruned[static_cast<std::size_t>(r * stride + 3)];
  const auto l = narrow_factor(pruned.data() + 3, model, stride, width, float64);
  ASSERT_TRUE(l);
  for (Index a = 0; a < width; ++a)
    for (Index b = 0; b < width; ++b) {
      double expected = 0, found = 0;
      for (Index r = 0; r < model; ++r)
        expected += pruned[static_cast<std::size_t>(r * stride + 3 + a)] *
                    pruned[static_cast<std::size_t>(r * stride + 3 + b)];
      for (Index k = 0; k < width; ++k)
        found +=
            (*l)[static_cast<std::size_t>(a * width + k)] * (*l)[static_cast<std::size_t>(b * width + k)];
      EXPECT_NEAR(found, expected, 1e-12);
    }
}

// Decomposing a padded batch and cutting the padding off: differs from A where A is determined, and changes
// the output. The larger the share of padding, the larger the error; the plain form has none.
TEST(Effective, PaddedRecipeIsWrongAndThePlainFormIsNot) {
  constexpr Index length = 128, width = 64;
  const Rows padded = random_rows(length, width, 20);
  double before = 1;
  for (const Index tokens : {20, 40, 60, 80, 120}) {
    const Rows v(padded.begin(), padded.begin() + tokens * width), a = random_pattern(tokens, 21);
    const Rows x = projected(ValueSpace(v, tokens, width, float64), a, tokens);
    EXPECT_LE(output_error(x, a, v, tokens), 1e-12);
    EXPECT_EQ(distance(x, a) == 0, tokens <= width);
    const ValueSpace recipe = ValueSpace::of_rank(padded, length, width, width);
    Rows cut;
    for (Index i = 0; i < tokens; ++i) {
      Rows row(length), out(length);
      std::copy_n(a.begin() + i * tokens, tokens, row.begin());
      recipe.project(row.data(), out.data(), 1);
      cut.insert(cut.end(), out.begin(), out.begin() + tokens);
    }
    EXPECT_GT(distance(cut, a), 0.4) << tokens;
    const double error = output_error(cut, a, v, tokens);
    EXPECT_GT(error, 0.03) << tokens;
    EXPECT_LT(error, before) << tokens;
    before = error;
  }
}

}  // namespace
}  // namespace headwater
