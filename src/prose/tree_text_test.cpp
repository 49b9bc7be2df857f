#include "prose/tree_text.h"

#include <gtest/gtest.h>

namespace headwater {
namespace {

TEST(TreeText, NamesEveryEdge) {
  const std::vector<std::string> tokens{"[CLS]", "not", "<bad>", "[SEP]"};
  const Tree tree{.root = 1,
                  .edges = {{.parent = 1, .child = 2, .layer = 2, .score = 0.9},
                            {.parent = 2, .child = 3, .layer = 1, .score = 0.8}}};
  EXPECT_EQ(tree_text(tree, tokens),
            "root 1:not\nL2   1:not <- 2:<bad>  0.900000\nL1   2:<bad> <- 3:[SEP]  0.800000\n");
}

}  // namespace
}  // namespace headwater
