// Lobatto's four points, exact for polynomials of degree 5; to them are added, as Kronrod (1965) and
// Patterson (1968) do for Gauss' points, the zeros of the polynomial that is orthogonal, with the old nodes'
// polynomial as weight, to all of lower degree. This gives 7 nodes exact for degree 9 and 13 for degree 19
// (Gander & Gautschi, 2000). Restarting with finer rules would throw every evaluation away.
#include "numerics/nested_rule.h"

#include <array>
#include <cmath>

namespace headwater {

namespace {

// Where on [−1, 1], the level it enters at, and its weight from that level on.
struct Abscissa {
  double x;
  int level;
  std::array<double, nested_levels> weight;
};

constexpr Abscissa half[] = {
    {1.0, 0, {0.16666666666666666667, 0.052380952380952380952, 0.015827191973480183087}},
    {0.4472135954999579392818, 0, {0.83333333333333333333, 0.42517006802721088435, 0.19977340522685852679}},
    {0.0, 1, {0, 0.45714285714285714286, 0.2426110719014077338}},
    {0.8164965809277260327324, 1, {0, 0.29387755102040816327, 0.15507198733658539625}},
    {0.2363831996621498802822, 2, {0, 0, 0.22492646533333952702}},
    {0.6418533423457813057812, 2, {0, 0, 0.18882157396018245442}},
    {0.9428824156954797190564, 2, {0, 0, 0.094273840218850045531}},
};

}  // namespace

std::vector<Node> nested_rule(int level) {
  std::vector<Node> nodes;
  for (const Abscissa& a : half) {
    if (a.level > level) continue;
    const double weight = a.weight[static_cast<std::size_t>(level)] / 2;  // [−1, 1] is twice as long
    nodes.push_back({(1 + a.x) / 2, weight});
    if (a.x > 0) nodes.push_back({(1 - a.x) / 2, weight});
  }
  return nodes;
}

std::vector<double> nested_coefficients(int level) {
  const std::vector<Node> nodes = nested_rule(level);
  const std::size_t n = nodes.size();
  const auto product = [&](const double* f, const double* g) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += nodes[i].weight * f[i] * g[i];
    return sum;
  };
  std::vector<double> polynomials(n * n, 1.0);
  for (std::size_t k = 0; k < n; ++k) {
    double* p = &polynomials[k * n];
    for (std::size_t i = 0; k > 0 && i < n; ++i) p[i] = (2 * nodes[i].at - 1) * polynomials[(k - 1) * n + i];
    for (int pass = 0; pass < 2; ++pass)  // once more, against rounding
      for (std::size_t j = 0; j < k; ++j) {
        const double* lower = &polynomials[j * n];
        const double share = product(p, lower);
        for (std::size_t i = 0; i < n; ++i) p[i] -= share * lower[i];
      }
    const double length = std::sqrt(product(p, p));
    for (std::size_t i = 0; i < n; ++i) p[i] /= length;
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i) polynomials[k * n + i] *= nodes[i].weight;
  return polynomials;
}

std::vector<double> nested_partial(int level) {
  const std::vector<Node> nodes = nested_rule(level);
  const std::size_t n = nodes.size();
  std::vector<double> weights(n * n, 0.0);
  // Gauss' rule with n nodes is exact for the Lagrange polynomials.
  for (std::size_t k = 0; k < n; ++k)
    for (const Node& at : quadrature(rule_of("gauss"), static_cast<int>(n)))
      for (std::size_t i = 0; i < n; ++i) {
        double lagrange = at.weight * nodes[k].at;
        for (std::size_t j = 0; j < n; ++j)
          if (j != i) lagrange *= (at.at * nodes[k].at - nodes[j].at) / (nodes[i].at - nodes[j].at);
        weights[k * n + i] += lagrange;
      }
  return weights;
}

}  // namespace headwater
