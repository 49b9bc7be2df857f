#include "numerics/row_division.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace headwater {
namespace {

TEST(RowDivision, GivesSharesAndCountsRowsWithoutASum) {
  Tensor map = Tensor::of({3, 2}, std::vector<double>{1, 3, 0, 0, 2, 2}, DType::Float32);
  EXPECT_EQ(divide_rows(map), 1);
  EXPECT_EQ(map.to_doubles(), (std::vector<double>{0.25, 0.75, 0, 0, 0.5, 0.5}));
}

TEST(RowDivision, LeavesForbiddenCellsOut) {
  std::vector<double> row{1, 1, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(divide_rows(std::span(row), 3), 0);
  EXPECT_EQ(row[0], 0.5);
  EXPECT_EQ(row[1], 0.5);
  EXPECT_TRUE(std::isnan(row[2]));
}

TEST(RowDivision, CountsTheNumberBesideARow) {
  std::vector<double> rows{1, 2, 0, 0, 0, 0, std::numeric_limits<double>::quiet_NaN(), 3}, beside{1, 0, 2, 1};
  EXPECT_EQ(divide_rows(std::span(rows), 2, std::span(beside)), 1);
  EXPECT_EQ((std::vector<double>(rows.begin(), rows.begin() + 6)),
            (std::vector<double>{0.25, 0.5, 0, 0, 0, 0}));
  EXPECT_TRUE(std::isnan(rows[6]));
  EXPECT_EQ(rows[7], 0.75);
  EXPECT_EQ(beside, (std::vector<double>{0.25, 0, 1, 0.25}));
}

}  // namespace
}  // namespace headwater
