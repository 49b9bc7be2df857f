#include <gtest/gtest.h>

#include "support/op_samples.h"
#include "support/random.h"

namespace headwater::testing {

std::vector<OpSample> add_samples() {
  return {{.name = "two tensors",
           .inputs = {random_tensor({2, 3, 4}, 1), random_tensor({2, 3, 4}, 2)},
           .apply = [](const std::vector<Var>& x) { return add(x[0], x[1]); },
           .rejected = {{random_tensor({2, 3, 4}, 1), random_tensor({2, 3, 5}, 2)}}}};
}

TEST(Add, OneValueTwiceGivesTwiceTheSignal) {
  Tape tape;
  const Var x = tape.leaf(random_tensor({2, 3}, 1));
  const Var y = add(x, x);
  const Tensor m = random_tensor({2, 3}, 2);
  const Tensor pulled = tape.pull(y, m, rules::gradient).of(x);
  for (Index i = 0; i < m.size(); ++i) EXPECT_EQ(pulled.at(i), 2 * m.at(i));
}

TEST(Add, SharesRelevanceBySize) {
  const auto shared = [](const std::vector<double>& a, const std::vector<double>& b,
                         const std::vector<double>& r, Rules::Relevance form) {
    Tape tape;
    const Shape shape{1, static_cast<Index>(a.size())};
    const Var left = tape.leaf(Tensor::of(shape, a)), right = tape.leaf(Tensor::of(shape, b));
    const Signals back = tape.pull(add(left, right), Tensor::of(shape, r), {.relevance = form});
    std::vector<double> both = back.of(left).to_doubles();
    for (const double v : back.of(right).to_doubles()) both.push_back(v);
    return both;
  };
  const auto near = [](const std::vector<double>& found, const std::vector<double>& expected) {
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << i;
  };
  const std::vector<double> same{.133333333, -.5, .6, .066666667, 1, -.3};
  near(shared({1, -1, 2}, {.5, 2, -1}, {.2, .5, .3}, Rules::Relevance::Chefer), same);
  near(shared({1, -1, 2}, {.5, 2, -1}, {.2, .5, .3}, Rules::Relevance::Lrp), same);
  near(shared({-1, 2}, {3, 1}, {.6, .4}, Rules::Relevance::Lrp), {-.3, .266666667, .9, .133333333});
  near(shared({-1, 2}, {3, 1}, {.6, .4}, Rules::Relevance::Chefer), {.28125, -.25, .84375, .125});
}

}  // namespace headwater::testing
