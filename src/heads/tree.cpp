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

// a^l, and what p^l is divided by: the largest of a layer; the script leaves row 0 out and takes the
// magnitude.
struct Layers {
  Index count, tokens;
  std::vector<double> values, scales;  // [L, T, T], [L]

  Layers(const Tensor& attribution, bool published)
      : count(attribution.dim(0)),
        tokens(attribution.dim(2)),
        values(as_size(count * tokens * tokens), 0.0),
        scales(as_size(count), -std::numeric_limits<double>::infinity()) {
    const Index H = attribution.dim(1), cells = tokens * tokens;
    for (Index l = 0; l < count; ++l) {
      double *sums = values.data() + l * cells, &scale = scales[as_size(l)];
      for (Index h = 0; h < H; ++h)
        for (Index c = 0; c < cells; ++c)
          if (const double v = attribution.at((l * H + h) * cells + c); !std::isnan(v)) sums[c] += v;
      scale = *std::max_element(sums + (published ? tokens : 0), sums + cells);
      if (published) scale = std::abs(scale);
    }
  }
  double at(Index l, Index i, Index j) const { return values[as_size((l * tokens + i) * tokens + j)]; }
  double share(Index l, Index i, Index j) const {
    return scales[as_size(l)] > 0 ? at(l, i, j) / scales[as_size(l)] : 0;
  }
};

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
  const Layers layers(attribution, options.published);
  const Index T = layers.tokens, second = layers.count - 2;
  Tree tree{.root = root_of(layers, options.published, options.published ? 0 : options.answer)};
  std::vector<bool> in(as_size(T), false);
  in[as_size(tree.root)] = true;
  const auto add = [&](Index l, Index i, Index j) {
    tree.edges.push_back({static_cast<int>(i), static_cast<int>(j), static_cast<int>(l), layers.at(l, i, j)});
    tree.kept += layers.share(l, i, j) - options.lambda;
  };
  for (Index l = second; l >= 0; --l)
    for (Index i = options.published ? 1 : 0; i < T; ++i) {
      if (!in[as_size(i)] || (options.published && l == second && i != tree.root)) continue;
      for (Index j = 0; j < T; ++j) {
        const double share = layers.share(l, i, j);
        if (in[as_size(j)] || !(share > options.tau) || !(share > options.lambda)) continue;
        in[as_size(j)] = true;
        add(l, i, j);
      }
    }
  // The token the output is read from reads every token of the tree in the last layer.
  for (Index j = 0; !options.published && j < T; ++j)
    if (j != options.answer && in[as_size(j)]) add(second + 1, options.answer, j);
  return tree;
}

std::vector<Check> tree_checks(const Tree& tree, const Tensor& attribution, const TreeOptions& options) {
  const Layers layers(attribution, options.published);
  std::vector<bool> in(as_size(layers.tokens), false);
  in[as_size(tree.root)] = true;
  double weak = 0, again = 0;
  for (const TreeEdge& edge : tree.edges) {
    if (edge.layer + 1 == layers.count) continue;  // ties the answer's token to all the others
    const double share = layers.share(edge.layer, edge.parent, edge.child);
    weak += share > options.tau && share > options.lambda ? 0 : 1;
    const bool grows = in[as_size(edge.parent)] && !in[as_size(edge.child)];
    again += grows ? 0 : 1;
    in[as_size(edge.child)] = true;
  }
  return {check_within("every edge exceeds tau and lambda", weak, 0),
          check_within("every token is reached once", again, 0)};
}

}  // namespace headwater
