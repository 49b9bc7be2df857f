#include "numerics/capacities.h"

#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "support/random_maps.h"

namespace headwater {
namespace {

TEST(Capacities, AStochasticRowSumsToTheUnitExactly) {
  const Tensor maps = testing::random_maps(2, 37, {}, 1).to(DType::Float32);
  const Capacities c = capacities_of(maps);
  EXPECT_EQ(c.unit, std::ldexp(1.0, 40));
  for (Index l = 0; l < 2; ++l)
    for (Index k = 0; k < 37; ++k) {
      EXPECT_EQ(std::accumulate(c.row(l, k), c.row(l, k) + 37, FlowUnits{0}), FlowUnits{1} << 40);
      EXPECT_EQ(c.row_sum(l, k), FlowUnits{1} << 40);
      for (Index j = 0; j < 37; ++j)
        EXPECT_NEAR(static_cast<double>(c.row(l, k)[j]) / c.unit, maps.at((l * 37 + k) * 37 + j), 1e-7);
    }
}

TEST(Capacities, OtherRowsKeepTheirOwnTotal) {
  const double third = 1.0 / 3;
  const Capacities c =
      capacities_of(Tensor::of({1, 3, 3}, std::vector<double>{third, third, 0, 0, 0, 0, 1, 0.25, 0.25}));
  EXPECT_EQ(c.row_sum(0, 0), std::llround(2 * third * c.unit));
  EXPECT_EQ(c.row(0, 0)[0] + c.row(0, 0)[1], c.row_sum(0, 0));
  EXPECT_EQ(c.row(0, 0)[1], std::llround(third * c.unit)) << "what rounding lost goes to one largest cell";
  EXPECT_EQ(c.row_sum(0, 1), 0);
  EXPECT_EQ(c.row_sum(0, 2), FlowUnits{3} << 39);
}

TEST(Capacities, TheUnitFollowsTheLargestRow) {
  const auto unit = [](double a) {
    return capacities_of(Tensor::of({1, 1, 1}, std::vector<double>{a})).unit;
  };
  EXPECT_EQ(unit(1), std::ldexp(1.0, 40));
  EXPECT_EQ(unit(1 - 1e-7), std::ldexp(1.0, 40));
  EXPECT_EQ(unit(1000), std::ldexp(1.0, 31));
  EXPECT_EQ(unit(0.001), std::ldexp(1.0, 50));
  EXPECT_EQ(unit(0), std::ldexp(1.0, 40));
  EXPECT_TRUE(std::isfinite(unit(1e-300)));
}

TEST(Capacities, CellsBelowAUnitNeverBecomeNegative) {
  std::vector<double> cells(64, 0.6 * std::ldexp(1.0, -40));
  std::fill(cells.begin(), cells.begin() + 8, 0.125);
  const Capacities c = capacities_of(Tensor::of({1, 8, 8}, cells));
  for (const FlowUnits arc : c.arcs) EXPECT_GE(arc, 0);
  for (Index k = 0; k < 8; ++k)
    EXPECT_EQ(std::accumulate(c.row(0, k), c.row(0, k) + 8, FlowUnits{0}), c.row_sum(0, k));
}

TEST(Capacities, RefusesWhatIsNoCapacity) {
  const auto fix = [](const Shape& shape, double first) {
    std::vector<double> cells(static_cast<std::size_t>(shape.elements()), 0.5);
    cells.front() = first;
    return capacities_of(Tensor::of(shape, cells));
  };
  EXPECT_THROW(capacities_of(Tensor()), InputError);
  EXPECT_THROW(fix({2, 2}, 1), InputError);
  EXPECT_THROW(fix({1, 2, 3}, 1), InputError);
  EXPECT_THROW(fix({1, 2, 2}, -1e-9), InputError);
  EXPECT_THROW(fix({1, 2, 2}, std::nan("")), InputError);
  EXPECT_THROW(fix({1, 2, 2}, std::numeric_limits<double>::infinity()), InputError);
  EXPECT_THROW(capacities_of(Tensor::full({1, 2, 2}, DType::Float64, 1e308)), InputError);
  try {
    fix({1, 2, 2}, -0.5);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(),
                 "attention flow: expected finite weights >= 0, found -0.5 in layer 0, row 0, column 0; give "
                 "cells a mask forbids as 0");
  }
}

}  // namespace
}  // namespace headwater
