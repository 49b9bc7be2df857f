#include "numerics/quadrature.h"

#include <cmath>

#include <gtest/gtest.h>
#include <headwater/error.h>

namespace headwater {
namespace {

double integral(Rule rule, int n, double (*f)(double)) {
  double sum = 0;
  for (const Node& node : quadrature(rule, n)) sum += node.weight * f(node.at);
  return sum;
}

TEST(Quadrature, GaussIsExactUpToDegreeTwoNMinusOne) {
  for (const int n : {1, 2, 5, 16, 50, 257}) {
    for (const int degree : {0, 1, 2 * n - 2, 2 * n - 1}) {
      double sum = 0;
      for (const Node& node : quadrature(Rule::Gauss, n)) sum += node.weight * std::pow(node.at, degree);
      EXPECT_NEAR(sum, 1.0 / (degree + 1), 1e-14) << n << " nodes, degree " << degree;
    }
  }
}

TEST(Quadrature, GaussNodesOfThree) {  // ½ ± √0.15, weights 5/18 and 4/9
  const std::vector<Node> nodes = quadrature(Rule::Gauss, 3);
  EXPECT_NEAR(nodes[0].at, 0.5 - std::sqrt(0.15), 1e-15);
  EXPECT_NEAR(nodes[1].at, 0.5, 1e-15);
  EXPECT_NEAR(nodes[0].weight, 5.0 / 18, 1e-15);
  EXPECT_NEAR(nodes[1].weight, 4.0 / 9, 1e-15);
}

TEST(Quadrature, OtherRulesByHand) {
  const auto square = [](double x) { return x * x; };
  EXPECT_NEAR(integral(Rule::Left, 4, square), (0 + 1 + 4 + 9) / 64.0, 1e-15);
  EXPECT_NEAR(integral(Rule::Right, 4, square), (1 + 4 + 9 + 16) / 64.0, 1e-15);
  EXPECT_NEAR(integral(Rule::Midpoint, 2, square), (1 + 9) / 32.0, 1e-15);
  EXPECT_NEAR(integral(Rule::Trapezoid, 3, square), (0 + 2 * 0.25 + 1) / 4, 1e-15);
  EXPECT_NEAR(integral(Rule::Trapezoid, 2, [](double x) { return 3 * x; }), 1.5, 1e-15);
}

TEST(Quadrature, NamesAndRefusals) {
  EXPECT_EQ(rule_of("gauss"), Rule::Gauss);
  EXPECT_EQ(rule_of("left"), Rule::Left);
  EXPECT_EQ(rule_of("right"), Rule::Right);
  EXPECT_EQ(rule_of("midpoint"), Rule::Midpoint);
  EXPECT_EQ(rule_of("trapezoid"), Rule::Trapezoid);
  EXPECT_THROW(quadrature(Rule::Gauss, 0), InputError);
  EXPECT_THROW(quadrature(Rule::Trapezoid, 1), InputError);
}

// What is promised is enough: as many nodes bring the error within what is allowed, and not many times as many.
TEST(Quadrature, NodesThatAreSaidToReachAnErrorReachIt) {
  struct Case {
    double (*f)(double);
    double exact;
  };
  const Case cases[] = {{[](double x) { return 1 / (1 + 25 * (x - 0.4) * (x - 0.4)); },
                         (std::atan(5 * 0.6) + std::atan(5 * 0.4)) / 5},
                        {[](double x) { return std::exp(3 * x); }, (std::exp(3.0) - 1) / 3},
                        {[](double x) { return x > 0.37 ? 1.0 : 0.0; }, 0.63},
                        {[](double x) { return std::sin(20 * x); }, (1 - std::cos(20.0)) / 20}};
  int looked_at = 0;
  for (const Case& c : cases)
    for (const Rule rule : {Rule::Gauss, Rule::Left, Rule::Right, Rule::Midpoint, Rule::Trapezoid})
      for (const int n : {12, 18}) {
        std::vector<double> values;
        for (const Node& node : quadrature(rule, n)) values.push_back(c.f(node.at));
        const double error = std::abs(integral(rule, n, c.f) - c.exact), allowed = 2e-3;
        if (error <= allowed) continue;
        const int enough = nodes_to_reach(rule, values, error, allowed);
        if (enough == 0) continue;
        ++looked_at;
        EXPECT_GT(enough, n);
        EXPECT_LE(std::abs(integral(rule, enough, c.f) - c.exact), allowed)
            << static_cast<int>(rule) << " " << n << " " << enough;
        bool fewer = false;  // a third of them may still miss
        for (int m = enough / 3; m <= enough && !fewer; ++m)
          fewer = std::abs(integral(rule, m, c.f) - c.exact) > allowed;
        EXPECT_TRUE(fewer) << "too many: " << static_cast<int>(rule) << " " << n << " " << enough;
      }
  EXPECT_GT(looked_at, 15);
  EXPECT_EQ(nodes_to_reach(Rule::Left, std::vector<double>(5, 1.0), 1.0, 1e-9), 0)
      << "nobody would run as many";
}

}  // namespace
}  // namespace headwater
