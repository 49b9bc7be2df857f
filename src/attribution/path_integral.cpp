// Completeness, ∫₀¹ dF/da da = F(1) − F(0), tells how good the nodes were. A sum may come out right by
// chance, so the way there is looked at too: the polynomial through dF/da at the nodes must lead to the F
// each node has. Each piece has a completeness of its own, which tells where to look closer: first more
// nodes, then two halves, so that a kink (ReLU) costs nodes at the kink alone.
//
// What follows is divided by a norm that grows from 1 to about 1 + c along the way, so the slopes fall as
// powers of 1/(1 + c a) do. The integral is taken over t with
//
//   a(t) = t / (1 + c (1 − t))      da/dt = (1 + c) / (1 + c (1 − t))²      1/(1 + c a) = (1 + c (1 − t)) /
//   (1 + c)
//
// where such powers are polynomials, which the nodes integrate exactly.
#include "attribution/path_integral.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <headwater/error.h>

#include "attribution/nested_rule.h"

namespace headwater {

namespace {

// The polynomial is as good at the end of the way as the nodes were chosen to make it, and worse on the way.
constexpr double slack_on_the_way = 10;
constexpr int last_level = nested_levels - 1;  // beyond, halves do better

}  // namespace

void add_weighted(double weight, const Slope& slope, std::vector<double>& sum) {
  sum.resize(static_cast<std::size_t>(slope.gradient.size()), 0.0);
  dispatch(slope.gradient.dtype(), [&](auto r) {
    const auto* g = slope.gradient.template data<decltype(r)>();
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weight * static_cast<double>(g[i]);
  });
}

double PathIntegral::Piece::worst() const {
  return std::max(std::abs(defect), on_the_way / slack_on_the_way);
}

PathIntegral::PathIntegral(Slope end, double growth) : growth_(growth), looking_{0} {
  pieces_.push_back({.known = {std::move(end)}, .sum = {}});
}

double PathIntegral::share(double t) const {
  return t / (1 + growth_ * (1 - t));
}

double PathIntegral::pace(double t) const {
  const double rest = 1 + growth_ * (1 - t);
  return (1 + growth_) / (rest * rest);
}

std::vector<Node> PathIntegral::nodes_of(const Piece& p) const {
  std::vector<Node> nodes = nested_rule(p.level);
  const double length = p.end - p.begin;
  for (Node& node : nodes) node = {p.begin + node.at * length, node.weight * length};
  return nodes;
}

std::vector<double> PathIntegral::wanted() const {
  std::vector<double> places;
  for (const std::size_t k : looking_) {
    const std::vector<Node> nodes = nodes_of(pieces_[k]);
    for (std::size_t i = pieces_[k].known.size(); i < nodes.size(); ++i) places.push_back(share(nodes[i].at));
  }
  return places;
}

void PathIntegral::take(std::vector<Slope> slopes) {
  auto next = slopes.begin();
  for (const std::size_t k : looking_) {
    Piece& piece = pieces_[k];
    for (std::size_t missing = nodes_of(piece).size() - piece.known.size(); missing-- > 0; ++evaluations_) {
      if (next == slopes.end()) throw InternalError("path integral: expected every slope it wanted");
      rounding_ = std::max(rounding_, next->rounding);
      piece.known.push_back(std::move(*next++));
    }
    finish(piece);
  }
  looking_.clear();
}

void PathIntegral::finish(Piece& piece) {
  std::vector<Node> nodes = nodes_of(piece);
  std::vector<Slope>& known = piece.known;
  const std::vector<double> partial = nested_partial(piece.level);
  std::vector<double> slopes;  // over t, of the piece as a way of length 1
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    slopes.push_back((piece.end - piece.begin) * pace(nodes[i].at) * known[i].along);
    nodes[i].weight *= pace(nodes[i].at);
  }
  piece.sum.clear();
  piece.defect = known[1].value - known[0].value;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    add_weighted(nodes[i].weight, known[i], piece.sum);
    piece.defect += nodes[i].weight * known[i].along;
  }
  piece.on_the_way = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    piece.on_the_way =
        std::max(piece.on_the_way,
                 std::abs(std::inner_product(slopes.begin(), slopes.end(), &partial[i * nodes.size()],
                                             known[1].value - known[i].value)));
  if (piece.level < last_level) return;
  std::swap(known[2], known[nested_middle]);  // all that halves can use
  known.resize(3);
}

void PathIntegral::refine() {
  const auto worst = std::max_element(pieces_.begin(), pieces_.end(),
                                      [](const Piece& a, const Piece& b) { return a.worst() < b.worst(); });
  const auto at = static_cast<std::size_t>(worst - pieces_.begin());
  looking_ = {at};
  if (worst->level < last_level) {
    ++worst->level;
    return;
  }
  const std::vector<Slope> known = std::move(worst->known);
  const double begin = worst->begin, end = worst->end, middle = (begin + end) / 2;
  *worst = {.begin = begin, .end = middle, .known = {known[2], known[1]}, .sum = {}};
  looking_.push_back(pieces_.size());
  pieces_.push_back({.begin = middle, .end = end, .known = {known[0], known[2]}, .sum = {}});
}

std::vector<double> PathIntegral::gradient() const {
  std::vector<double> sum = pieces_.front().sum;
  for (std::size_t p = 1; p < pieces_.size(); ++p)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += pieces_[p].sum[i];
  return sum;
}

std::vector<double> PathIntegral::coarser() const {
  const std::vector<Node> nodes = coarser_rule();
  std::vector<double> sum;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    add_weighted(nodes[i].weight * pace(nodes[i].at), pieces_.front().known[i], sum);
  return sum;
}

double PathIntegral::change() const {
  double sum = 0;
  for (const Piece& piece : pieces_) sum += piece.known[0].value - piece.known[1].value;
  return sum;
}

double PathIntegral::defect() const {
  double sum = 0;
  for (const Piece& piece : pieces_) sum += piece.defect;
  return sum;
}

// Each piece's on the way may be as large as the whole's: with fewer than all there is less to add up.
double PathIntegral::worst() const {
  double worst = std::abs(defect());
  for (const Piece& piece : pieces_) worst = std::max(worst, piece.on_the_way / slack_on_the_way);
  return worst;
}

}  // namespace headwater
