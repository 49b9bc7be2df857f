// With a^l = Σ_h Attr_h^l [T, T] and p^l = a^l / max a^l, a tree is to make Σ_edges (p − λ) large, over edges
// with p > τ. The steps of the paper: the root is the token whose row, over all layers and without itself,
// has the largest sum; from the second layer from the top downwards, an edge (i, j) is taken if i is in the
// tree, j is not, and it pays; at last [CLS] is tied to every token of the tree in the top layer.
//
// The released script differs: the largest value that scales a layer is looked for outside row 0; the root is
// searched over positive values and never row 0; in the second layer from the top only the root may be a
// parent; row 0 is never a parent; tokens reached in a sweep are parents at once; and [CLS] is not tied.
#include "heads/tree.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <headwater/error.h>

#include "heads/checks.h"

namespace headwater {

namespace {

struct Layers {
  Index count, tokens;
  std::vector<double> values;  // [L, T, T]
  double at(Index l, Index i, Index j) const { return values[as_size((l * tokens + i) * tokens + j)]; }
};

Layers summed_over_heads(const Tensor& attribution) {
  const Index L = attribution.dim(0), H = attribution.dim(1), T = attribution.dim(2);
  Layers layers{L, T, std::vector<double>(as_size(L * T * T), 0.0)};
  for (Index l = 0; l < L; ++l)
    for (Index h = 0; h < H; ++h)
      for (Index c = 0; c < T * T; ++c)
        if (const double v = attribution.at((l * H + h) * T * T + c); !std::isnan(v))
          layers.values[as_size(l * T * T + c)] += v;
  return layers;
}

// The largest of a layer; the script leaves row 0 out and takes the magnitude.
double scale_of(const Layers& layers, Index l, bool published) {
  double largest = -std::numeric_limits<double>::infinity();
  for (Index i = published ? 1 : 0; i < layers.tokens; ++i)
    for (Index j = 0; j < layers.tokens; ++j) largest = std::max(largest, layers.at(l, i, j));
  return published ? std::abs(largest) : largest;
}

int root_of(const Layers& layers, bool published, int answer) {
  std::vector<double> rows(as_size(layers.tokens), 0.0);
  rows[as_size(answer)] = -std::numeric_limits<double>::infinity();
  for (Index i = 0; i < layers.tokens; ++i)
    for (Index j = 0; i != answer && j < layers.tokens; ++j) {
      double sum = 0;
      for (Index l = 0; l < layers.count; ++l) sum += layers.at(l, i, j);
      if (i != j && (!published || sum > 0)) rows[as_size(i)] += sum;
    }
  return static_cast<int>(std::max_element(rows.begin(), rows.end()) - rows.begin());
}

class Growing {
 public:
  Growing(const Layers& layers, const TreeOptions& options)
      : layers_(layers), options_(options), in_(as_size(layers.tokens), false) {
    tree_.root = root_of(layers, options.published, options.published ? 0 : options.answer);
    in_[as_size(tree_.root)] = true;
  }

  void sweep(Index l) {
    const double scale = scale_of(layers_, l, options_.published);
    if (!(scale > 0)) return;
    const bool only_root = options_.published && l == layers_.count - 2;
    for (Index i = options_.published ? 1 : 0; i < layers_.tokens; ++i) {
      if (!in_[as_size(i)] || (only_root && i != tree_.root)) continue;
      for (Index j = 0; j < layers_.tokens; ++j) {
        const double share = layers_.at(l, i, j) / scale;
        if (in_[as_size(j)] || !(share > options_.tau) || !(share > options_.lambda)) continue;
        in_[as_size(j)] = true;
        add(l, i, j, share);
      }
    }
  }

  // The token the output is read from reads every token of the tree in the last layer.
  void tie() {
    const Index l = layers_.count - 1, i = options_.answer;
    const double scale = scale_of(layers_, l, false);
    for (Index j = 0; j < layers_.tokens; ++j)
      if (j != i && in_[as_size(j)]) add(l, i, j, scale > 0 ? layers_.at(l, i, j) / scale : 0);
  }

  Tree done() && { return std::move(tree_); }

 private:
  void add(Index l, Index i, Index j, double share) {
    tree_.edges.push_back(
        {static_cast<int>(i), static_cast<int>(j), static_cast<int>(l), layers_.at(l, i, j)});
    tree_.kept += share - options_.lambda;
  }

  const Layers& layers_;
  const TreeOptions& options_;
  std::vector<bool> in_;
  Tree tree_;
};

}  // namespace

Tree attribution_tree(const Tensor& attribution, const TreeOptions& options) {
  if (attribution.rank() != 4 || attribution.dim(0) < 2 || attribution.dim(2) < 2)
    throw InputError("tree: expected at least 2 layers and 2 tokens; use a longer text");
  if (options.answer < 0 || options.answer >= attribution.dim(2))
    throw InputError(
        fmt::format("tree: expected a token from 0 to {}, found {}", attribution.dim(2) - 1, options.answer));
  if (!(options.tau >= 0 && options.tau < 1) || !(options.lambda >= 0))
    throw InputError(fmt::format("tree: expected 0 <= tau < 1 and lambda >= 0, found {} and {}", options.tau,
                                 options.lambda));
  const Layers layers = summed_over_heads(attribution);
  Growing growing(layers, options);
  for (Index l = layers.count - 2; l >= 0; --l) growing.sweep(l);
  if (!options.published) growing.tie();
  return std::move(growing).done();
}

std::vector<Check> tree_checks(const Tree& tree, const Tensor& attribution, const TreeOptions& options) {
  const Layers layers = summed_over_heads(attribution);
  std::vector<bool> in(as_size(layers.tokens), false);
  in[as_size(tree.root)] = true;
  double weak = 0, again = 0;
  for (const TreeEdge& edge : tree.edges) {
    if (edge.layer + 1 == layers.count) continue;  // ties the answer's token to all the others
    const double share =
        layers.at(edge.layer, edge.parent, edge.child) / scale_of(layers, edge.layer, options.published);
    weak += share > options.tau && share > options.lambda ? 0 : 1;
    const bool grows = in[as_size(edge.parent)] && !in[as_size(edge.child)];
    again += grows ? 0 : 1;
    in[as_size(edge.child)] = true;
  }
  return {check_within("every edge exceeds tau and lambda", weak, 0),
          check_within("every token is reached once", again, 0)};
}

}  // namespace headwater
