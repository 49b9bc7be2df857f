#include <gtest/gtest.h>

#include "support/op_samples.h"
#include "support/random.h"

namespace headwater::testing {

namespace {
LinearWeights weights(bool with_bias) {
  return {.weight = std::make_shared<Matrix>(random_tensor({5, 4}, 1)),
          .bias = with_bias ? random_tensor({5}, 2) : Tensor()};
}
}  // namespace

std::vector<OpSample> linear_samples() {
  std::vector<OpSample> samples;
  for (const bool with_bias : {true, false}) {
    const LinearWeights w = weights(with_bias);
    samples.push_back({.name = with_bias ? "with bias" : "without bias",
                       .inputs = {random_tensor({2, 3, 4}, 3)},
                       .apply = [w](const std::vector<Var>& x) { return linear(x[0], w); },
                       .constant = w.bias,
                       .rejected = {{random_tensor({2, 3, 5}, 4)}}});
  }
  return samples;
}

TEST(Linear, SharesRelevanceByPositiveProducts) {
  const std::vector<double> w{.5, 1, -1, -1, -.5, 2}, x{1, -2, .5}, relevance{1, .5};
  for (const auto guard : {Rules::Guard::Plain, Rules::Guard::Reference})
    for (const auto form : {Rules::Relevance::Chefer, Rules::Relevance::Lrp}) {
      Tape tape;
      const Var input = tape.leaf(Tensor::of({1, 3}, x));
      const Var y = linear(input, {.weight = std::make_shared<Matrix>(Tensor::of({2, 3}, w)), .bias = {}});
      const Tensor back =
          tape.pull(y, Tensor::of({1, 2}, relevance), {.relevance = form, .guard = guard}).of(input);
      const double twice = form == Rules::Relevance::Chefer ? 1 : 2;
      EXPECT_NEAR(back.at(0), 1, 1e-8);
      EXPECT_NEAR(back.at(1), .25 * twice, 1e-8);
      EXPECT_NEAR(back.at(2), .25 * twice, 1e-8);
    }
}

// Equal rows are multiplied once, rows that only begin alike are not taken for one, and bits are those of a
// row alone.
TEST(Linear, EqualRowsHaveTheBitsOfARowAlone) {
  for (const DType dtype : {DType::Float64, DType::Float32}) {
    const Index rows = 96, width = 40;
    Tensor x = random_tensor({rows, width}, 1, dtype);
    dispatch(dtype, [&]<class R>(R) {
      R* at = x.data<R>();
      for (Index row = 7; row < rows; ++row) std::copy_n(at + row % 7 * width, width, at + row * width);
      for (Index row = 30; row < 90; row += 9)
        at[(row + 1) * width - 1] += R(row % 2 + 1);  // the last number
    });
    const LinearWeights w{.weight = std::make_shared<Matrix>(random_tensor({24, width}, 2, dtype)),
                          .bias = random_tensor({24}, 3, dtype)};
    Tape tape;
    const Tensor together = linear(tape.leaf(x), w).value;
    for (Index row = 0; row < rows; ++row)
      EXPECT_EQ(largest_difference(together.rows(row, 1), linear(tape.leaf(x.rows(row, 1)), w).value), 0)
          << row;
  }
}

// Three products with |W| and four with clamped weights are the same rule.
TEST(Linear, WideLayersTakeTheShortForm) {
  for (const DType dtype : {DType::Float64, DType::Float32}) {
    Tape tape;
    const Var input = tape.leaf(random_tensor({1, 5, 96}, 1, dtype));
    const Var y = linear(input, {.weight = std::make_shared<Matrix>(random_tensor({80, 96}, 2, dtype)),
                                 .bias = random_tensor({80}, 3, dtype)});
    Tensor relevance = random_tensor({1, 5, 80}, 4, dtype);
    dispatch(dtype, [&]<class R>(R) {
      std::fill_n(relevance.data<R>() + 80, 160, R(0));  // two rows without any
    });
    const Tensor shorter = tape.pull(y, relevance, {.relevance = Rules::Relevance::Chefer}).of(input);
    const Tensor direct =
        tape.pull(y, relevance, {.relevance = Rules::Relevance::Chefer, .guard = Rules::Guard::Reference})
            .of(input);
    EXPECT_LE(largest_difference(shorter, direct), dtype == DType::Float64 ? 1e-8 : 1e-4);
    for (Index i = 96; i < 288; ++i) EXPECT_EQ(shorter.at(i), 0);
    const Tensor wide =
        tape.pull(y, relevance.to(DType::Float64), {.relevance = Rules::Relevance::Chefer}).of(input);
    EXPECT_EQ(wide.dtype(), DType::Float64);
    EXPECT_LE(largest_difference(shorter.to(DType::Float64), wide), dtype == DType::Float64 ? 1e-12 : 1e-4);
  }
}

TEST(Linear, RelevanceWithoutPositiveProductsIsLost) {
  Tape tape;
  const Var input = tape.leaf(Tensor::full({1, 70}, DType::Float32, 0.7));
  const Var y = linear(
      input, {.weight = std::make_shared<Matrix>(Tensor::full({1, 70}, DType::Float32, -0.3)), .bias = {}});
  const Tensor back =
      tape.pull(y, Tensor::full({1, 1}, DType::Float32, 1), {.relevance = Rules::Relevance::Chefer})
          .of(input);
  for (Index i = 0; i < back.size(); ++i) EXPECT_EQ(back.at(i), 0);
}

}  // namespace headwater::testing
