// Hidden vectors of one token through the facade.
#include <gtest/gtest.h>
#include <headwater/engine.h>

#include "support/shipped_engines.h"

namespace headwater {
namespace {

using testing::sentiment;

TEST(States, OneVectorBeforeAndOneAfterEveryBlock) {
  const std::vector<std::vector<double>> states = sentiment().states({.text = "not bad at all"}, 2);
  ASSERT_EQ(states.size(), 5U);
  for (const std::vector<double>& state : states) EXPECT_EQ(state.size(), 192U);
  // What enters the first block is the token's own, whatever stands behind it; what leaves it is not.
  const std::vector<std::vector<double>> other = sentiment().states({.text = "not bad at the end"}, 2);
  EXPECT_EQ(states.front(), other.front());
  EXPECT_NE(states.back(), other.back());
}

TEST(States, APositionOutsideTheTextIsRefused) {
  EXPECT_THROW(sentiment().states({.text = "not bad"}, 4), InputError);
  EXPECT_THROW(sentiment().states({.text = "not bad"}, -1), InputError);
}

}  // namespace
}  // namespace headwater
