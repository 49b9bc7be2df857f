// Ways whose integrals are known: the gradient has two components, (1, p(a)), and F(a) = a + ∫₀ᵃ p.
#include "attribution/path_integral.h"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>
#include <headwater/error.h>

namespace headwater {
namespace {

struct Way {
  std::function<double(double)> slope, sum;  // p and its integral from 0

  Slope at(double a) const {
    return {.gradient = Tensor::of({2}, std::vector<double>{1, slope(a)}),
            .along = 1 + slope(a),
            .value = a + sum(a)};
  }
  std::vector<Slope> at(const std::vector<double>& places) const {
    std::vector<Slope> slopes;
    for (const double a : places) slopes.push_back(at(a));
    return slopes;
  }
};

// Goes on until the defect is small, and says what the second component came to.
double integrate(const Way& way, PathIntegral& integral, double tolerance) {
  for (integral.take(way.at(integral.wanted())); integral.worst() > tolerance;) {
    integral.refine();
    integral.take(way.at(integral.wanted()));
    if (integral.evaluations() > 1000) break;
  }
  return integral.gradient()[1];
}

// (1 + 3 a)⁻², as behind a norm that grows fourfold: ∫₀¹ = 1/4.
Way falling() {
  return {[](double a) { return std::pow(1 + 3 * a, -2); }, [](double a) { return a / (1 + 3 * a); }};
}

TEST(PathIntegral, IsExactForPolynomialsWithTheFirstNodes) {
  const Way way{[](double a) { return 6 * std::pow(a, 5) - 2 * a; },
                [](double a) { return std::pow(a, 6) - a * a; }};
  PathIntegral integral(way.at(1), 0);
  integral.take(way.at(integral.wanted()));
  EXPECT_EQ(integral.evaluations(), 3);
  EXPECT_NEAR(integral.gradient()[0], 1, 1e-15);
  EXPECT_NEAR(integral.gradient()[1], 0, 1e-15);
  EXPECT_NEAR(integral.change(), 1, 1e-15);
  EXPECT_NEAR(integral.defect(), 0, 1e-15);
}

TEST(PathIntegral, ANormThatGrowsAsGuessedIsExactToo) {
  PathIntegral guessed(falling().at(1), 3), plain(falling().at(1), 0);
  guessed.take(falling().at(guessed.wanted()));
  plain.take(falling().at(plain.wanted()));
  EXPECT_NEAR(guessed.gradient()[1], 0.25, 1e-15);
  EXPECT_GT(std::abs(plain.gradient()[1] - 0.25), 1e-4);
}

TEST(PathIntegral, ABadGuessCostsNodesAndNothingElse) {
  for (const double growth : {0.0, 0.5, 3.0, 20.0}) {
    PathIntegral integral(falling().at(1), growth);
    EXPECT_NEAR(integrate(falling(), integral, 1e-10), 0.25, 1e-9) << growth;
    EXPECT_NEAR(integral.gradient()[0], 1, 1e-9) << growth;
  }
}

// |a − 0.3|: halves close in on the kink, so the evaluations grow with the digits and not with their power.
TEST(PathIntegral, AKinkCostsNodesAtTheKinkAlone) {
  const Way way{[](double a) { return std::abs(a - 0.3); },
                [](double a) { return a < 0.3 ? 0.3 * a - a * a / 2 : 0.09 - 0.3 * a + a * a / 2; }};
  PathIntegral integral(way.at(1), 0);
  EXPECT_NEAR(integrate(way, integral, 1e-8), 0.29, 1e-7);
  EXPECT_LE(integral.evaluations(), 400);
}

TEST(PathIntegral, TheFirstNodesGiveACoarserIntegralToo) {
  const Way way{[](double a) { return 3 * a * a; }, [](double a) { return a * a * a; }};
  PathIntegral integral(way.at(1), 0);
  integral.take(way.at(integral.wanted()));
  EXPECT_NEAR(integral.coarser()[1], 1, 1e-14);
  PathIntegral other(falling().at(1), 0);
  other.take(falling().at(other.wanted()));
  const double coarse = std::abs(other.coarser()[1] - 0.25), fine = std::abs(other.gradient()[1] - 0.25);
  EXPECT_GT(coarse, 2 * fine);
}

TEST(PathIntegral, RefusesFewerSlopesThanItWants) {
  PathIntegral integral(falling().at(1), 0);
  EXPECT_THROW(integral.take({}), InternalError);
}

}  // namespace
}  // namespace headwater
