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

TEST(Tree, NamesEveryEdge) {
  const std::vector<std::string> tokens{"[CLS]", "not", "<bad>", "[SEP]"};
  const Tree tree = attribution_tree(example(), {.published = true});
  EXPECT_NE(tree_text(tree, tokens).find("1:not <- 2:<bad>"), std::string::npos);
  const std::string svg = tree_svg(tree, tokens, 4);
  EXPECT_NE(svg.find("&lt;bad&gt;"), std::string::npos);
  EXPECT_EQ(svg.find("<bad>"), std::string::npos);
  std::size_t streams = 0;
  for (std::size_t at = svg.find("dasharray"); at != std::string::npos; at = svg.find("dasharray", at + 1))
    ++streams;
  EXPECT_EQ(streams, 4U) << "every token of the tree has its stream";
}

TEST(Tree, RefusesWhatHasNoTree) {
  EXPECT_THROW(attribution_tree(Tensor::zeros({1, 1, 4, 4}, DType::Float64), {}), InputError);
  EXPECT_THROW(attribution_tree(example(), {.tau = 1}), InputError);
  EXPECT_THROW(attribution_tree(example(), {.lambda = -1}), InputError);
  EXPECT_THROW(attribution_tree(example(), {.answer = 4}), InputError);
}

}  // namespace
}  // namespace headwater
