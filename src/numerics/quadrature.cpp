// Gauss–Legendre: the nodes are the zeros of the Legendre polynomial P_n, found by Newton's method from
// Chebyshev's guess, with
//
//   (k + 1) P_{k+1}(x) = (2k + 1) x P_k(x) − k P_{k−1}(x)
//   P′_n(x) = n (x P_n(x) − P_{n−1}(x)) / (x² − 1)
//   w = 2 / ((1 − x²) P′_n(x)²)                    on [−1, 1]; halved and moved to [0, 1]
//
// n nodes integrate polynomials up to degree 2n − 1. The other rules cut [0, 1] into equal parts.
#include "numerics/quadrature.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <headwater/error.h>

namespace headwater {

Rule rule_of(std::string_view name) {
  if (name == "left") return Rule::Left;
  if (name == "right") return Rule::Right;
  if (name == "midpoint") return Rule::Midpoint;
  return name == "trapezoid" ? Rule::Trapezoid : Rule::Gauss;
}

namespace {

struct Legendre {
  double value, slope;
};

Legendre legendre(int n, double x) {
  double before = 1, value = x;
  for (int k = 1; k < n; ++k) {
    const double next = ((2 * k + 1) * x * value - k * before) / (k + 1);
    before = value;
    value = next;
  }
  return {value, n * (x * value - before) / (x * x - 1)};
}

Node gauss_node(int n, int k) {
  double x = -std::cos(std::numbers::pi * (k + 0.75) / (n + 0.5));
  Legendre p = legendre(n, x);
  for (int step = 0; step < 100 && std::abs(p.value / p.slope) > 1e-16; ++step) {
    x -= p.value / p.slope;
    p = legendre(n, x);
  }
  return {(1 + x) / 2, 1 / ((1 - x * x) * p.slope * p.slope)};
}

}  // namespace

std::vector<Node> quadrature(Rule rule, int n) {
  const int least = rule == Rule::Trapezoid ? 2 : 1;
  if (n < least)
    throw InputError(fmt::format("steps: expected at least {} for this rule, found {}", least, n));
  std::vector<Node> nodes;
  const double part = 1.0 / n;
  // Where a node stands in its part.
  const double offset = rule == Rule::Left ? 0 : rule == Rule::Right ? 1 : 0.5;
  for (int k = 0; k < n; ++k) {
    if (rule == Rule::Gauss)
      nodes.push_back(gauss_node(n, k));
    else if (rule == Rule::Trapezoid)
      nodes.push_back({static_cast<double>(k) / (n - 1), (k == 0 || k == n - 1 ? 0.5 : 1.0) / (n - 1)});
    else
      nodes.push_back({(k + offset) * part, part});
  }
  return nodes;
}

namespace {

// By what share Legendre's coefficients of a function fall from degree to degree; 1: they do not.
double fall_of(const std::vector<double>& values) {
  const int n = static_cast<int>(values.size()), third = n / 3;
  if (third < 2) return 1;
  const std::vector<Node> nodes = quadrature(Rule::Gauss, n);
  double middle = 0, last = 0;  // the largest of either third
  for (int k = third; k < n; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      sum += nodes[i].weight * values[i] * legendre(k, 2 * nodes[i].at - 1).value;
    double& largest = k < n - third ? middle : last;
    largest = std::max(largest, std::abs((2 * k + 1) * sum));
  }
  return middle > 0 ? std::min(1.0, std::pow(last / middle, 1.0 / third)) : 1;
}

// The largest jump that values at a rule's nodes show: what one step between neighbours has more than the steps
// beside it, which are about as large where a function is smooth, and more than most others, which are as
// large where it swings between the nodes.
double jump_of(const std::vector<double>& values) {
  const std::size_t n = values.size();
  if (n < 4) return 0;
  std::vector<double> steps;
  for (std::size_t i = 0; i + 1 < n; ++i) steps.push_back(std::abs(values[i + 1] - values[i]));
  std::vector<double> sorted = steps;
  std::sort(sorted.begin(), sorted.end());
  const double usual = sorted[sorted.size() / 2];
  double most = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double before = steps[i > 0 ? i - 1 : 1], after = steps[i + 1 < steps.size() ? i + 1 : i - 1];
    most = std::max(most, steps[i] - std::max(before + after, 3 * usual));
  }
  return most;
}

// A jump of 1 between two nodes leaves at most this over the number of nodes: the part of [0, 1] that the
// nearer one speaks for (half of it where a node stands in its middle; Gauss' are widest at ½, π / 2n).
double left_by_a_jump(Rule rule) {
  if (rule == Rule::Gauss) return std::numbers::pi / 4;
  return rule == Rule::Left || rule == Rule::Right ? 1 : 0.5;
}

}  // namespace

int nodes_to_reach(Rule rule, const std::vector<double>& values, double error, double allowed) {
  constexpr double most = 10000, care = 1.25;
  const auto n = static_cast<double>(values.size());
  const double order = rule == Rule::Midpoint || rule == Rule::Trapezoid ? 2 : 1;
  double needed = 2 * n * std::pow(error / allowed, 1 / order);  // equal steps near it in leaps
  if (const double jump = jump_of(values); jump > 0)  // its share of the error is luck: see the worst
    needed = std::max(needed, left_by_a_jump(rule) * jump / allowed + 1);
  else if (const double fall = rule == Rule::Gauss ? fall_of(values) : 1;
           fall < 0.98)  // n nodes see degree 2 n
    needed =
        std::min(needed, n + care * std::log(error / allowed) / (-2 * std::log(std::max(fall, 1e-3))) + 1);
  return needed < most ? static_cast<int>(std::ceil(needed)) : 0;
}

}  // namespace headwater
