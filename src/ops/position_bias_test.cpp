#include <gtest/gtest.h>

#include "support/op_samples.h"
#include "support/random.h"

namespace headwater::testing {

std::vector<OpSample> position_bias_samples() {
  std::vector<OpSample> samples;
  for (const bool bidirectional : {true, false}) {
    const Tensor table = random_tensor({2, 6}, 2);
    const PositionBuckets buckets{.buckets = 6, .max_distance = 4, .bidirectional = bidirectional};
    samples.push_back(
        {.name = bidirectional ? "both sides" : "past",
         .inputs = {random_tensor({2, 2, 5, 5}, 1)},
         .apply = [=](const std::vector<Var>& x) { return position_bias(x[0], table, buckets); },
         .conserves = false,  // the table keeps its share
         .rejected = {{random_tensor({2, 3, 5, 5}, 1)}, {random_tensor({2, 5, 5}, 1)}}});
    samples.push_back(
        {.name = samples.back().name + ", after four others",
         .inputs = {random_tensor({2, 2, 3, 7}, 1)},
         .apply = [=](const std::vector<Var>& x) { return position_bias(x[0], table, buckets, {}, 4); },
         .conserves = false});
  }
  return samples;
}

TEST(PositionBias, AddsTheTableAtTheDistancesBucket) {
  Tape tape;
  const PositionBuckets exact{.buckets = 8, .max_distance = 100, .bidirectional = true};
  const Tensor table = Tensor::of({1, 8}, std::vector<double>{0, 1, 2, 3, 40, 50, 60, 70});
  const Var y = position_bias(tape.leaf(Tensor::zeros({1, 1, 3, 3}, DType::Float64)), table, exact);
  // Of each side: distance 0, 1, and the logarithmic buckets from 2 on. Keys after the query are 40 and more.
  const std::vector<double> expected{0, 50, 60, 1, 0, 50, 2, 1, 0};
  EXPECT_EQ(y.value.to_doubles(), expected);
}

TEST(PositionBias, RowsAfterOthersAreTheLastRowsOfAll) {
  Tape tape;
  const PositionBuckets past{.buckets = 6, .max_distance = 4, .bidirectional = false};
  const Tensor table = random_tensor({1, 6}, 1);
  const Tensor all = position_bias(tape.leaf(Tensor::zeros({1, 1, 6, 6}, DType::Float64)), table, past).value;
  const Tensor last =
      position_bias(tape.leaf(Tensor::zeros({1, 1, 2, 6}, DType::Float64)), table, past, {}, 4).value;
  for (Index i = 0; i < last.size(); ++i) EXPECT_EQ(last.at(i), all.at(4 * 6 + i));
}

}  // namespace headwater::testing
