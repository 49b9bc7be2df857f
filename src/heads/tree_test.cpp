// The worked example of the specification, in both forms.
#include "heads/tree.h"

#include <gtest/gtest.h>
#include <headwater/error.h>

namespace headwater {
namespace {

Tensor example() {
  return Tensor::of({4, 1, 4, 4},
                    std::vector<double>{// layer 0
                                        0, 0, 0, 0, .6, 0, 0, 0, 0, 0, 0, 0, .1, .5, 0, 0,
                                        // layer 1
                                        0, 0, 0, 0, 0, 0, .1, .2, .1, 0, 0, .8, 0, 0, 0, .2,
                                        // layer 2
                                        .1, 0, 0, 0, 0, .1, .9, 0, 0, .2, .1, .3, 0, 0, .1, .1,
                                        // layer 3
                                        0, .4, .3, .2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

using Edges = std::vector<std::vector<int>>;
Edges edges_of(const Tree& tree) {
  Edges edges;
  for (const TreeEdge& e : tree.edges) edges.push_back({e.parent, e.child, e.layer});
  return edges;
}

TEST(Tree, FollowsThePublishedScript) {
  const Tree tree = attribution_tree(example(), {.published = true});
  EXPECT_EQ(tree.root, 1);
  EXPECT_EQ(edges_of(tree), (Edges{{1, 2, 2}, {2, 3, 1}, {1, 0, 0}}));
}

TEST(Tree, TiesClsInThePapersForm) {
  const Tree tree = attribution_tree(example(), {});
  EXPECT_EQ(tree.root, 1);
  EXPECT_EQ(edges_of(tree), (Edges{{1, 2, 2}, {2, 3, 1}, {1, 0, 0}, {0, 1, 3}, {0, 2, 3}, {0, 3, 3}}));
}

TEST(Tree, AnEdgeMustPay) {
  const Tree tree = attribution_tree(example(), {.tau = 0.4, .lambda = 0.999999});
  for (const TreeEdge& edge : tree.edges) EXPECT_TRUE(edge.layer == 3 || edge.score >= 0.6);
  EXPECT_EQ(attribution_tree(example(), {.lambda = 1}).edges.size(), 1U) << "only [CLS] and the root";
}

// Every promise can be broken: an edge too weak, a token reached twice, a parent that is not there yet.
TEST(Tree, ChecksCountWhatIsWrong) {
  const auto counted = [](const Tree& tree, const TreeOptions& options) {
    std::vector<double> values;
    for (const Check& check : tree_checks(tree, example(), options)) {
      values.push_back(check.value);
      EXPECT_EQ(check.passed, check.value == 0) << check.name;
    }
    return values;
  };
  using Values = std::vector<double>;
  for (const bool published : {false, true})
    EXPECT_EQ(counted(attribution_tree(example(), {.published = published}), {.published = published}),
              (Values{0, 0}));
  Tree tree = attribution_tree(example(), {});
  EXPECT_EQ(counted(tree, {.tau = 0.95}), (Values{0, 0})) << "each is the largest of its layer";
  tree.edges[1].child = 0;  // (2, 0) of layer 1: 0.1 of 0.8; and (1, 0) comes again
  EXPECT_EQ(counted(tree, {}), (Values{1, 1}));
  tree.edges.erase(tree.edges.begin());  // 2 is a parent, but not in the tree
  EXPECT_EQ(counted(tree, {}), (Values{1, 2}));
}

TEST(Tree, RefusesWhatHasNoTree) {
  EXPECT_THROW(attribution_tree(Tensor::zeros({1, 1, 4, 4}, DType::Float64), {}), InputError);
  EXPECT_THROW(attribution_tree(example(), {.tau = 1}), InputError);
  EXPECT_THROW(attribution_tree(example(), {.lambda = -1}), InputError);
  EXPECT_THROW(attribution_tree(example(), {.answer = 4}), InputError);
}

}  // namespace
}  // namespace headwater
