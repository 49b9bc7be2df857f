// Ways whose integrals are known: the gradient has two components, (1, p(a)), and F(a) = a + ∫₀ᵃ p.
#include "numerics/path_integral.h"

#include <algorithm>
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

double largest(const std::vector<double>& scores) {
  double most = 0;
  for (const double score : scores) most = std::max(most, std::abs(score));
  return most;
}

// Of a way whose slope at its end is known.
PathIntegral integral_of(const Way& way, double growth = 0) {
  return {{way.at(1)}, growth, largest};
}

// Goes on until the estimated error is small, and says what the second component came to.
double integrate(const Way& way, PathIntegral& integral, double tolerance) {
  for (integral.take(way.at(integral.wanted())); integral.error() > tolerance;) {
    integral.refine(tolerance, 100);
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
  PathIntegral integral = integral_of(way);
  integral.take(way.at(integral.wanted()));
  EXPECT_EQ(integral.evaluations(), 3);
  EXPECT_NEAR(integral.gradient()[0], 1, 1e-15);
  EXPECT_NEAR(integral.gradient()[1], 0, 1e-15);
  EXPECT_NEAR(integral.change(), 1, 1e-15);
  EXPECT_NEAR(integral.defect(), 0, 1e-15);
}

TEST(PathIntegral, ANormThatGrowsAsGuessedIsExactToo) {
  PathIntegral guessed = integral_of(falling(), 3), plain = integral_of(falling());
  guessed.take(falling().at(guessed.wanted()));
  plain.take(falling().at(plain.wanted()));
  EXPECT_NEAR(guessed.gradient()[1], 0.25, 1e-15);
  EXPECT_GT(std::abs(plain.gradient()[1] - 0.25), 1e-4);
}

TEST(PathIntegral, ABadGuessCostsNodesAndNothingElse) {
  for (const double growth : {0.0, 0.5, 3.0, 20.0}) {
    PathIntegral integral = integral_of(falling(), growth);
    EXPECT_NEAR(integrate(falling(), integral, 1e-10), 0.25, 1e-9) << growth;
    EXPECT_NEAR(integral.gradient()[0], 1, 1e-9) << growth;
  }
}

// |a − 0.3|: halves close in on the kink, so the evaluations grow with the digits and not with their power.
TEST(PathIntegral, AKinkCostsNodesAtTheKinkAlone) {
  const Way way{[](double a) { return std::abs(a - 0.3); },
                [](double a) { return a < 0.3 ? 0.3 * a - a * a / 2 : 0.09 - 0.3 * a + a * a / 2; }};
  PathIntegral integral = integral_of(way);
  EXPECT_NEAR(integrate(way, integral, 1e-8), 0.29, 1e-7);
  EXPECT_LE(integral.evaluations(), 400);
}

// A slope that jumps anywhere on the way, as behind a ReLU: the estimate holds at every stage.
TEST(PathIntegral, AJumpIsNeverWorseThanItsEstimate) {
  for (int k = 1; k < 200; ++k) {
    const double at = k / 200.0;
    const Way way{[at](double a) { return a > at ? 1.0 : 0.0; },
                  [at](double a) { return a > at ? a - at : 0.0; }};
    PathIntegral integral = integral_of(way);
    for (int wave = 0; wave < 8; ++wave) {
      integral.take(way.at(integral.wanted()));
      EXPECT_LE(std::abs(integral.gradient()[1] - (1 - at)), integral.error() + 1e-14) << at << " " << wave;
      integral.refine(integral.error() / 2, 100);
    }
  }
}

// Two components whose jumps cancel in their sum: completeness holds at once, and the estimate says no.
TEST(PathIntegral, ErrorsThatCancelInTheSumAreSeen) {
  const auto slope = [](double a) {
    const double jump = a > 0.4 ? 1 : 0;
    return Slope{
        .gradient = Tensor::of({2}, std::vector<double>{1 + jump, 1 - jump}), .along = 2, .value = 2 * a};
  };
  PathIntegral integral({}, 0, largest);
  std::vector<Slope> slopes;
  for (const double a : integral.wanted()) slopes.push_back(slope(a));
  integral.take(std::move(slopes));
  EXPECT_EQ(integral.evaluations(), 4);
  EXPECT_NEAR(integral.defect(), 0, 1e-15);
  const double off = std::abs(integral.gradient()[0] - 1.6);
  EXPECT_GT(off, 0.05);
  EXPECT_GE(integral.error(), off);
}

TEST(PathIntegral, WantsNoMoreThanItMay) {
  const Way way{[](double a) { return std::sin(40 * a); },
                [](double a) { return (1 - std::cos(40 * a)) / 40; }};
  PathIntegral integral = integral_of(way);
  integral.take(way.at(integral.wanted()));
  EXPECT_FALSE(integral.refine(1e-9, 2));
  EXPECT_TRUE(integral.wanted().empty());
  EXPECT_TRUE(integral.refine(1e-9, 3));
  EXPECT_EQ(integral.wanted().size(), 3U);
}

// What was dropped is asked for again: more slopes are evaluated, and not a bit differs. The slope that was
// given is never asked for, nor are many at once.
TEST(PathIntegral, KeepingFewSlopesChangesNoBit) {
  const Way way{[](double a) { return a > 0.37 ? 3 * a : std::sin(30 * a); },
                [](double a) {
                  const double before = (1 - std::cos(30 * std::min(a, 0.37))) / 30;
                  return a > 0.37 ? before + 1.5 * (a * a - 0.37 * 0.37) : before;
                }};
  std::size_t asked[2] = {};
  const auto integrate_with = [&](PathIntegral integral, std::size_t& count) {
    do {
      while (integral.waits()) {
        const std::vector<double> places = integral.wanted();
        EXPECT_EQ(std::count(places.begin(), places.end(), 1.0), 0);
        count += places.size();
        integral.take(way.at(places));
      }
    } while (integral.refine(1e-7, 400 - integral.evaluations()));
    return integral;
  };
  const PathIntegral all = integrate_with({{way.at(1)}, 0.5, largest}, asked[0]);
  constexpr std::size_t few = 5;
  const PathIntegral some = integrate_with({{way.at(1)}, 0.5, largest, 0, few}, asked[1]);
  EXPECT_GT(all.evaluations(), 100);
  EXPECT_EQ(some.evaluations(), all.evaluations());
  EXPECT_EQ(some.gradient(), all.gradient());
  EXPECT_EQ(some.error(), all.error());
  EXPECT_EQ(some.defect(), all.defect());
  EXPECT_EQ(asked[0], static_cast<std::size_t>(all.evaluations()));
  EXPECT_GT(asked[1], asked[0]);
}

TEST(PathIntegral, AsksForAboutAsManySlopesAsItMayKeep) {
  const Way way{[](double a) { return std::sin(90 * a); },
                [](double a) { return (1 - std::cos(90 * a)) / 90; }};
  PathIntegral integral({way.at(1)}, 0, largest, 0, 5);
  for (int wave = 0; wave < 12; ++wave) {
    while (integral.waits()) {
      EXPECT_LE(integral.wanted().size(), 13U) << "of one piece, or five";
      integral.take(way.at(integral.wanted()));
    }
    integral.refine(1e-9, 200);
  }
  EXPECT_GT(integral.evaluations(), 100);
}

TEST(PathIntegral, RefusesFewerSlopesThanItWants) {
  PathIntegral integral = integral_of(falling());
  EXPECT_THROW(integral.take({}), InternalError);
}

}  // namespace
}  // namespace headwater
