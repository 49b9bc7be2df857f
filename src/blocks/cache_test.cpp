#include "blocks/cache.h"

#include <gtest/gtest.h>
#include <headwater/error.h>

namespace headwater {
namespace {

Tensor rows(Shape shape, std::vector<double> values) {
  return Tensor::of(shape, values);
}

TEST(KeyValueCache, PutsRowsBehindThoseOfEachMember) {
  KeyValueCache cache;
  EXPECT_TRUE(cache.empty());
  cache.extend({Site::K, 1}, rows({2, 2, 1}, {1, 2, 5, 6}));
  EXPECT_EQ(cache.extend({Site::K, 1}, rows({2, 1, 1}, {3, 7})).to_doubles(),
            (std::vector<double>{1, 2, 3, 5, 6, 7}));
  EXPECT_FALSE(cache.has({Site::K, 1, 1})) << "another stack";
  EXPECT_THROW(cache.extend({Site::K, 1}, rows({1, 1, 1}, {8})), InternalError);
}

TEST(KeyValueCache, GoesOnWithChosenMembers) {
  KeyValueCache cache;
  cache.extend({Site::K, 0}, rows({2, 1, 2}, {1, 2, 3, 4}));
  cache.keep({Site::CrossV, 0}, rows({2, 1, 1}, {8, 9}));
  cache.advance({{5}, {6}});
  cache.choose({1, 1, 0});
  EXPECT_EQ(cache.at({Site::K, 0}).to_doubles(), (std::vector<double>{3, 4, 3, 4, 1, 2}));
  EXPECT_EQ(cache.at({Site::CrossV, 0}).to_doubles(), (std::vector<double>{9, 9, 8}));
  EXPECT_EQ(cache.ids(), (std::vector<std::vector<int>>{{6}, {6}, {5}}));
  EXPECT_EQ(cache.past(), 1);
}

}  // namespace
}  // namespace headwater
