#include "blocks/batch.h"

#include <set>

#include <gtest/gtest.h>

namespace headwater {
namespace {

Batch text(std::vector<int> ids, std::vector<int> positions = {}) {
  return {.ids = {std::move(ids)}, .positions = std::move(positions)};
}

TEST(Batching, EveryInputIsInOneGroupOfItsOwnLength) {
  const std::vector<Batch> inputs{text({1, 2}), text({3}), text({4, 5}), text({6}), text({7, 8, 9})};
  std::set<std::size_t> seen;
  for (const Group& group : group_inputs(inputs, 100)) {
    ASSERT_EQ(group.batch.ids.size(), group.members.size());
    for (std::size_t m = 0; m < group.members.size(); ++m) {
      EXPECT_TRUE(seen.insert(group.members[m]).second);
      EXPECT_EQ(group.batch.ids[m], inputs[group.members[m]].ids.front());
      EXPECT_EQ(group.batch.ids[m].size(), group.batch.ids[0].size());
    }
  }
  EXPECT_EQ(seen.size(), inputs.size());
}

TEST(Batching, TokensAreBounded) {
  const std::vector<Batch> inputs(7, text({1, 2, 3}));
  const auto groups = group_inputs(inputs, 7);
  EXPECT_EQ(groups.size(), 4U);
  for (const Group& group : groups) EXPECT_LE(group.members.size() * 3, 7U);
  EXPECT_EQ(group_inputs(inputs, 1).size(), 7U);  // one input is always allowed
}

TEST(Batching, WantedRowsMustAgree) {
  const auto groups =
      group_inputs(std::vector<Batch>{text({1, 2}, {0}), text({1, 2}, {1}), text({3, 4}, {0})}, 99);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].members, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(groups[0].batch.positions, (std::vector<int>{0}));
}

TEST(Batching, TypesTravelWithTheIds) {
  Batch typed = text({1, 2});
  typed.type_ids = {{0, 1}};
  const auto groups = group_inputs(std::vector<Batch>{typed, text({3, 4}), typed}, 99);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[1].batch.type_ids, (std::vector<std::vector<int>>{{0, 1}, {0, 1}}));
}

TEST(Batching, ImagesAreStacked) {
  const auto image = [](double value) {
    return Batch{.pixels = Tensor::full({1, 1, 2, 2}, DType::Float32, value)};
  };
  const auto groups = group_inputs(std::vector<Batch>{image(1), image(2)}, 99);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].batch.pixels.shape(), (Shape{2, 1, 2, 2}));
  EXPECT_EQ(groups[0].batch.pixels.at(3), 1);
  EXPECT_EQ(groups[0].batch.pixels.at(4), 2);
}

TEST(Batching, PrefixesOfOneLengthShareABatch) {
  const std::vector<Batch> inputs{{.ids = {{1, 2}}, .prefix = {{0}}},
                                  {.ids = {{3, 4}}, .prefix = {{0, 7}}},
                                  {.ids = {{5, 6}}, .prefix = {{9}}}};
  const std::vector<Group> groups = group_inputs(inputs, 100);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].members, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(groups[0].batch.prefix, (std::vector<std::vector<int>>{{0}, {9}}));
  EXPECT_EQ(groups[1].batch.prefix, (std::vector<std::vector<int>>{{0, 7}}));
}

}  // namespace
}  // namespace headwater
