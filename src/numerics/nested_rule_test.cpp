#include "numerics/nested_rule.h"

#include <cmath>

#include <gtest/gtest.h>

namespace headwater {
namespace {

TEST(NestedRule, IntegratesPolynomialsExactly) {
  const int exact[nested_levels] = {5, 9, 19};  // by construction
  for (int level = 0; level < nested_levels; ++level)
    for (int degree = 0; degree <= exact[level]; ++degree) {
      double sum = 0;
      for (const Node& node : nested_rule(level)) sum += node.weight * std::pow(node.at, degree);
      EXPECT_NEAR(sum, 1.0 / (degree + 1), 2e-15) << level << " " << degree;
    }
}

// The k-th coefficient of a polynomial of degree d is 0 for d < k and is not for d = k.
TEST(NestedRule, CoefficientsAreOfOneDegreeEach) {
  for (int level = 0; level < nested_levels; ++level) {
    const std::vector<Node> nodes = nested_rule(level);
    const std::vector<double> weights = nested_coefficients(level);
    const std::size_t n = nodes.size();
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t degree = 0; degree <= k; ++degree) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i)
          sum += weights[k * n + i] * std::pow(2 * nodes[i].at - 1, static_cast<double>(degree));
        if (degree < k)
          EXPECT_NEAR(sum, 0, 1e-14) << level << " " << k << " " << degree;
        else
          EXPECT_GT(std::abs(sum), 1e-5) << level << " " << k;
      }
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(weights[i], nodes[i].weight, 1e-15) << "the integral";
  }
}

TEST(NestedRule, IntegratesTheWayToEveryNode) {
  for (int level = 0; level < nested_levels; ++level) {
    const std::vector<Node> nodes = nested_rule(level);
    const std::vector<double> weights = nested_partial(level);
    const std::size_t n = nodes.size();
    for (int degree = 0; degree < static_cast<int>(n); ++degree)
      for (std::size_t k = 0; k < n; ++k) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += weights[k * n + i] * std::pow(nodes[i].at, degree);
        EXPECT_NEAR(sum, std::pow(nodes[k].at, degree + 1) / (degree + 1), 1e-13) << level << " " << degree;
      }
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(weights[i], nodes[i].weight, 1e-13) << "to the end";
  }
}

TEST(NestedRule, EveryLevelBeginsWithTheOneBelow) {
  for (int level = 1; level < nested_levels; ++level) {
    const std::vector<Node> below = nested_rule(level - 1), nodes = nested_rule(level);
    ASSERT_EQ(nodes.size(), 2 * below.size() - 1);
    for (std::size_t k = 0; k < below.size(); ++k) EXPECT_EQ(nodes[k].at, below[k].at);
  }
}

TEST(NestedRule, BeginsWithTheEndsAndTheMiddle) {
  for (int level = 1; level < nested_levels; ++level) {
    const std::vector<Node> nodes = nested_rule(level);
    EXPECT_EQ(nodes[0].at, 1);
    EXPECT_EQ(nodes[1].at, 0);
    EXPECT_EQ(nodes[nested_middle].at, 0.5);
  }
}

}  // namespace
}  // namespace headwater
