#include "numerics/least_squares.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "numerics/random.h"

namespace headwater {
namespace {

using Masks = std::vector<std::vector<bool>>;

const Masks all{{false, false}, {false, true}, {true, false}, {true, true}};

TEST(LeastSquares, FindsALinearFunctionExactly) {
  std::vector<double> y;
  for (const auto& z : all) y.push_back(5 + (z[0] ? 2 : 0) - (z[1] ? 3 : 0));
  const std::vector<double> weights{1, 0.5, 2, 0.25};
  const auto fit = weighted_ridge(all, y, weights, 0);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->coefficients[0], 2, 1e-12);
  EXPECT_NEAR(fit->coefficients[1], -3, 1e-12);
  EXPECT_NEAR(fit->intercept, 5, 1e-12);
  EXPECT_NEAR(fit->r_squared, 1, 1e-12);
  EXPECT_LE(fit->stationarity, 1e-12);
  EXPECT_LE(fit->standard_errors[0], 1e-12);
}

TEST(LeastSquares, RidgeShrinksByHand) {
  // Centred and balanced: Σ (z − ½)² = 1 per unit, so that φ = 1 · slope / (1 + λ).
  std::vector<double> y;
  for (const auto& z : all) y.push_back((z[0] ? 2 : 0) - (z[1] ? 3 : 0));
  const auto fit = weighted_ridge(all, y, std::vector<double>(4, 1.0), 3);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->coefficients[0], 0.5, 1e-12);
  EXPECT_NEAR(fit->coefficients[1], -0.75, 1e-12);
  EXPECT_LE(fit->stationarity, 1e-12);
  EXPECT_LT(fit->r_squared, 1);
}

TEST(LeastSquares, SaysWhenSamplesDoNotDetermineTheAnswer) {
  const Masks same(4, {true, false});
  EXPECT_FALSE(weighted_ridge(same, std::vector<double>(4, 1.0), std::vector<double>(4, 1.0), 0));
  EXPECT_TRUE(weighted_ridge(same, std::vector<double>(4, 1.0), std::vector<double>(4, 1.0), 1));
  EXPECT_FALSE(paired_least_squares(same, std::vector<double>(4, 1.0), 1));
}

TEST(LeastSquares, CoefficientsSumToTheTotal) {
  const Masks pairs{{true, false, false}, {false, true, true}, {false, true, false}, {true, false, true}};
  const auto fit = paired_least_squares(pairs, std::vector<double>{1, 4, 2, 3.5}, 5);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->coefficients[0] + fit->coefficients[1] + fit->coefficients[2], 5, 1e-12);
  // Minimised along the constraint: moving weight from unit 0 to unit 1 must not help.
  const auto loss = [&](double moved) {
    const std::vector<double> y{1, 4, 2, 3.5};
    double sum = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const double e = y[k] - (pairs[k][0] ? fit->coefficients[0] - moved : 0) -
                       (pairs[k][1] ? fit->coefficients[1] + moved : 0) -
                       (pairs[k][2] ? fit->coefficients[2] : 0);
      sum += e * e;
    }
    return sum;
  };
  EXPECT_GT(loss(0.01), loss(0));
  EXPECT_GT(loss(-0.01), loss(0));
}

constexpr std::size_t units = 6;

// With products of three: pairs of complements are exact for products of two.
double summed_game(const std::vector<bool>& z) {
  double y = 0;
  for (std::size_t u = 0; u < units; ++u)
    for (std::size_t v = 0; v < units; ++v)
      for (std::size_t w = 0; w < units; ++w)
        if (z[u] && z[v] && z[w]) y += std::sin(static_cast<double>(3 * u + 7 * v * u + 5 * w + 1));
  return y;
}

// Of all 64 coalitions once: the trials below ask 160,000 times.
double game(const std::vector<bool>& z) {
  static std::map<std::vector<bool>, double> known;
  const auto [found, is_new] = known.try_emplace(z);
  if (is_new) found->second = summed_game(z);
  return found->second;
}

// The error a fit states is the spread of fits over seeds.
template <class Draw>
void expect_errors_are_the_spread(const Draw& draw) {
  constexpr std::size_t trials = 400;
  std::vector<double> sum(units, 0), squares(units, 0), stated(units, 0);
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    RandomSequence random(seed);
    const std::optional<Fit> fit = draw(random);
    ASSERT_TRUE(fit);
    for (std::size_t u = 0; u < units; ++u) {
      sum[u] += fit->coefficients[u] / trials;
      squares[u] += fit->coefficients[u] * fit->coefficients[u] / trials;
      stated[u] += fit->standard_errors[u] / trials;
    }
  }
  for (std::size_t u = 0; u < units; ++u)
    EXPECT_NEAR(stated[u] / std::sqrt(squares[u] - sum[u] * sum[u]), 1, 0.2) << u;
}

TEST(LeastSquares, StandardErrorsOfPairsAreTheSpreadOverSeeds) {
  expect_errors_are_the_spread([](RandomSequence& random) {
    Masks z;
    std::vector<double> y;
    for (int k = 0; k < 100; ++k) {
      z.push_back(random.choice(units, 1 + random.below(units - 1)));
      z.push_back(z.back());
      z.back().flip();
    }
    for (const auto& mask : z) y.push_back(game(mask));
    return paired_least_squares(z, y, game(std::vector<bool>(units, true)));
  });
}

TEST(LeastSquares, StandardErrorsOfARidgeAreTheSpreadOverSeeds) {
  expect_errors_are_the_spread([](RandomSequence& random) {
    Masks z;
    std::vector<double> y, weights;
    for (int k = 0; k < 200; ++k) {
      z.push_back(random.choice(units, random.below(units + 1)));
      y.push_back(game(z.back()));
      weights.push_back(0.1 + 0.9 * static_cast<double>(z.back()[0]));
    }
    return weighted_ridge(z, y, weights, 1);
  });
}

}  // namespace
}  // namespace headwater
