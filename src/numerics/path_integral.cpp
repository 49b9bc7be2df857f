// How good the nodes of a piece were shows in two ways.
//
// How the slopes vary: c_k are the coefficients of the integrand by orthogonal polynomials of degree k
// (nested_rule.h), m_k the largest of the scores that c_k gives. Of a smooth integrand they fall as ρ^k;
// behind a kink of F (ReLU), where slopes jump, they hardly fall. n nodes give c_0, the integral, to c_{n−1}:
// a rule with a node less would leave out the last. Any score is off by about
//
//   1.6 max(m_{n−1}, m_{n−2})     if they hardly fall: what is left of a jump
//   1.6 ρ² m_{n−1}                otherwise, but at least m_{n−1} / 5
//
// Completeness: ∫ dF/da da is the change of F, and the polynomial through dF/da at the nodes must lead to the
// F that each node has. The most that is missing there is the error of a sum of scores; the last coefficients
// tell how such an error is spread over them:  2 |missing| max(m_{n−1}, m_{n−2}) / |sum of their scores|.
//
// The estimate is the larger of both. Pieces where it is largest are looked at closer: with more nodes, or,
// where the coefficients hardly fall, as two halves, so that a kink costs nodes at the kink alone.
//
// What follows is divided by a norm that grows from 1 to about 1 + c along the way, so the slopes fall as
// powers of 1/(1 + c a) do. The integral is taken over t with
//
//   a(t) = t / (1 + c (1 − t))      da/dt = (1 + c) / (1 + c (1 − t))²
//   1/(1 + c a) = (1 + c (1 − t)) / (1 + c)
//
// where such powers are polynomials, which the nodes integrate exactly.
#include "numerics/path_integral.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include <headwater/error.h>

#include "numerics/nested_rule.h"

namespace headwater {

namespace {

// Measured over jumps at every place of a piece: a jump leaves at most 1.25 times the larger of the last two
// coefficients, and coefficients behind one fall by no less than 0.81 from degree to degree.
constexpr double of_a_jump = 1.6;
constexpr double hardly_falling = 0.75;
// However fast coefficients fall: a small jump may hide under a smooth integrand.
constexpr double least_share = 0.2;
// Errors of single scores are spread otherwise than the last coefficients by about this.
constexpr double otherwise_spread = 2;
constexpr double few_nodes = 1.5;  // four see several kinks as one
constexpr double deviations =
    1.2;  // of the errors of many pieces, whose signs differ: about 3.5 of their own
constexpr int last_level = nested_levels - 1;  // beyond, halves do better

// The tables of nested_rule.h, made once.
struct Tables {
  std::vector<Node> nodes;
  std::vector<double> partial, coefficients;  // [n, n]
};
const Tables& tables(int level) {
  static const auto all = [] {
    std::array<Tables, nested_levels> made;
    for (int l = 0; l < nested_levels; ++l)
      made[as_size(l)] = {nested_rule(l), nested_partial(l), nested_coefficients(l)};
    return made;
  }();
  return all[as_size(level)];
}

double safe_ratio(double a, double b) {
  return a <= 0 ? 0 : (a < b ? a / b : 1);
}

}  // namespace

void add_weighted(double weight, const Slope& slope, std::vector<double>& sum) {
  sum.resize(as_size(slope.gradient.size()), 0.0);
  dispatch(slope.gradient.dtype(), [&](auto r) {
    const auto* g = slope.gradient.template data<decltype(r)>();
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weight * static_cast<double>(g[i]);
  });
}

PathIntegral::PathIntegral(std::vector<Slope> known, double growth, Largest largest, int level,
                           std::size_t most_kept)
    : growth_(growth), largest_(std::move(largest)), most_kept_(most_kept), looking_{0} {
  pieces_.push_back({.known = std::move(known), .level = level, .sum = {}});
}

double PathIntegral::share(double t) const {
  return t / (1 + growth_ * (1 - t));
}

double PathIntegral::pace(double t) const {
  const double rest = 1 + growth_ * (1 - t);
  return (1 + growth_) / (rest * rest);
}

std::vector<Node> PathIntegral::nodes_of(const Piece& p) const {
  std::vector<Node> nodes = tables(p.level).nodes;
  const double length = p.end - p.begin;
  for (Node& node : nodes) node = {p.begin + node.at * length, node.weight * length};
  return nodes;
}

std::vector<std::size_t> PathIntegral::missing(const Piece& piece) const {
  std::vector<std::size_t> nodes;
  for (std::size_t i = 0; i < tables(piece.level).nodes.size(); ++i)
    if (i >= piece.known.size() || piece.known[i].gradient.empty()) nodes.push_back(i);
  return nodes;
}

std::size_t PathIntegral::next_pieces() const {
  std::size_t count = 0, slopes = 0;
  for (const std::size_t k : looking_) {
    slopes += missing(pieces_[k]).size();
    if (count > 0 && slopes > most_kept_) break;
    ++count;
  }
  return count;
}

std::vector<double> PathIntegral::wanted() const {
  std::vector<double> places;
  for (const std::size_t k : std::span(looking_).first(next_pieces())) {
    const std::vector<Node> nodes = nodes_of(pieces_[k]);
    for (const std::size_t i : missing(pieces_[k])) places.push_back(share(nodes[i].at));
  }
  return places;
}

void PathIntegral::take(std::vector<Slope> slopes) {
  auto next = slopes.begin();
  const auto served = looking_.begin() + static_cast<std::ptrdiff_t>(next_pieces());
  for (auto k = looking_.begin(); k != served; ++k) {
    Piece& piece = pieces_[*k];
    for (const std::size_t i : missing(piece)) {
      if (next == slopes.end()) throw InternalError("path integral: expected every slope it wanted");
      rounding_ = std::max(rounding_, next->rounding);
      if (i < piece.known.size()) {
        piece.known[i] = std::move(*next++);  // as it was before it was dropped
        continue;
      }
      piece.known.push_back(std::move(*next++));
      ++evaluations_;
    }
    finish(piece);
  }
  looking_.erase(looking_.begin(), served);
  drop_gradients();
}

// Pieces that are looked at need theirs soonest, then those of the largest error. The slope at the way's end
// stays: it may have been given, from elsewhere.
void PathIntegral::drop_gradients() {
  std::size_t kept = 0;
  for (const Piece& piece : pieces_)
    for (const Slope& slope : piece.known) kept += slope.gradient.empty() ? 0 : 1;
  if (kept <= most_kept_) return;
  std::vector<std::size_t> last(pieces_.size());
  std::iota(last.begin(), last.end(), std::size_t{0});
  const auto looked_at = [&](std::size_t k) {
    return std::find(looking_.begin(), looking_.end(), k) != looking_.end();
  };
  std::stable_sort(last.begin(), last.end(), [&](std::size_t a, std::size_t b) {
    return looked_at(a) != looked_at(b) ? looked_at(b) : pieces_[a].error < pieces_[b].error;
  });
  for (const std::size_t k : last) {
    Piece& piece = pieces_[k];
    for (std::size_t i = piece.end == 1 ? 1 : 0; i < piece.known.size(); ++i) {
      kept -= piece.known[i].gradient.empty() ? 0 : 1;
      piece.known[i].gradient = Tensor();
    }
    if (kept <= most_kept_) return;
  }
}

void PathIntegral::finish(Piece& piece) {
  const std::vector<Node> nodes = nodes_of(piece);
  std::vector<double> scale;  // of slopes over t, of the piece as a way of length 1
  for (const Node& node : nodes) scale.push_back((piece.end - piece.begin) * pace(node.at));
  piece.sum.clear();
  piece.defect = piece.known[1].value - piece.known[0].value;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const double weight = nodes[i].weight * pace(nodes[i].at);
    add_weighted(weight, piece.known[i], piece.sum);
    piece.defect += weight * piece.known[i].along;
  }
  estimate(piece, scale);
  if (piece.level < last_level) return;
  std::swap(piece.known[2], piece.known[nested_middle]);  // all that halves can use
  piece.known.resize(3);
}

void PathIntegral::estimate(Piece& piece, const std::vector<double>& scale) const {
  const Tables& table = tables(piece.level);
  const std::size_t n = scale.size();
  std::vector<double> along;
  for (std::size_t i = 0; i < n; ++i) along.push_back(scale[i] * piece.known[i].along);
  // The last coefficients: the largest score of each, and the sum of its scores.
  const std::size_t first = n == 4 ? 1 : n - 4;
  std::vector<double> largest(n, 0.0), sums(n, 0.0);
  for (std::size_t k = first; k < n; ++k) {
    const double* row = &table.coefficients[k * n];
    std::vector<double> coefficient;
    for (std::size_t i = 0; i < n; ++i) add_weighted(row[i] * scale[i], piece.known[i], coefficient);
    largest[k] = largest_(coefficient);
    sums[k] = std::abs(std::inner_product(along.begin(), along.end(), row, 0.0));
  }
  piece.decay = n == 4 ? std::max(safe_ratio(largest[3], largest[2]), safe_ratio(largest[2], largest[1]))
                       : std::sqrt(std::max(safe_ratio(largest[n - 1], largest[n - 3]),
                                            safe_ratio(largest[n - 2], largest[n - 4])));
  if (piece.decay > hardly_falling) piece.decay = 1;
  double missing = std::abs(piece.defect);
  for (std::size_t i = 0; i < n; ++i)
    missing = std::max(missing, std::abs(std::inner_product(along.begin(), along.end(), &table.partial[i * n],
                                                            piece.known[1].value - piece.known[i].value)));
  missing = std::max(0.0, missing - rounding_);
  const double last = largest[n - 1], either = std::max(last, largest[n - 2]);
  piece.error = piece.decay == 1 ? of_a_jump * either
                                 : std::max(of_a_jump * piece.decay * piece.decay, least_share) * last;
  if (const double sum = std::max(sums[n - 1], sums[n - 2]); sum > 0)
    piece.error = std::max(piece.error, otherwise_spread * missing * either / sum);
  if (piece.level == 0) piece.error *= few_nodes;
}

bool PathIntegral::refine(double allowed, int most) {
  std::vector<std::size_t> worst(pieces_.size());
  std::iota(worst.begin(), worst.end(), std::size_t{0});
  std::stable_sort(worst.begin(), worst.end(),
                   [&](std::size_t a, std::size_t b) { return pieces_[a].error > pieces_[b].error; });
  Errors left = errors();
  for (const std::size_t at : worst) {
    if (!looking_.empty() && left.together() <= allowed / 2) break;
    if ((most -= slopes_to_look_closer(pieces_[at])) < 0) break;
    left.add(-pieces_[at].error);
    look_closer(at);
  }
  return !looking_.empty();
}

bool PathIntegral::splits(const Piece& piece) const {
  return piece.level == last_level || (piece.level > 0 && piece.decay == 1);
}

int PathIntegral::slopes_to_look_closer(const Piece& piece) const {
  if (splits(piece)) return 2 * static_cast<int>(tables(0).nodes.size() - 2);
  return static_cast<int>(tables(piece.level + 1).nodes.size() - tables(piece.level).nodes.size());
}

void PathIntegral::look_closer(std::size_t at) {
  Piece& piece = pieces_[at];
  looking_.push_back(at);
  if (!splits(piece)) {
    ++piece.level;
    return;
  }
  std::vector<Slope> known = std::move(piece.known);
  if (piece.level < last_level) std::swap(known[2], known[nested_middle]);
  const double begin = piece.begin, end = piece.end, middle = (begin + end) / 2;
  piece = {.begin = begin, .end = middle, .known = {known[2], known[1]}, .sum = {}};
  looking_.push_back(pieces_.size());
  pieces_.push_back({.begin = middle, .end = end, .known = {known[0], known[2]}, .sum = {}});
}

std::vector<double> PathIntegral::gradient() const {
  std::vector<double> sum = pieces_.front().sum;
  for (std::size_t p = 1; p < pieces_.size(); ++p)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += pieces_[p].sum[i];
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

PathIntegral::Errors PathIntegral::errors() const {
  Errors all;
  for (const Piece& piece : pieces_) all.add(piece.error);
  return all;
}

double PathIntegral::error() const {
  return errors().together();
}

void PathIntegral::Errors::add(double error) {
  sum += error;
  squares += error * std::abs(error);
}

double PathIntegral::Errors::together() const {
  return std::min(sum, deviations * std::sqrt(std::max(0.0, squares)));
}

}  // namespace headwater
