#include <cmath>

#include <gtest/gtest.h>

#include "support/op_samples.h"
#include "support/random.h"

namespace headwater::testing {

namespace {
Tensor table(double (*f)(double)) {
  std::vector<double> values;
  for (int t = 0; t < 3; ++t)
    for (int j = 0; j < 2; ++j) values.push_back(f(t * (j + 1) * 0.4));
  return Tensor::of({3, 2}, values);
}
}  // namespace

std::vector<OpSample> rotary_samples() {
  const Tensor cos = table([](double a) { return std::cos(a); }),
               sin = table([](double a) { return std::sin(a); });
  return {{.name = "two heads of four",
           .inputs = {random_tensor({2, 3, 8}, 1)},
           .apply = [=](const std::vector<Var>& x) { return rotary(x[0], cos, sin, 2); },
           .rejected = {{random_tensor({2, 4, 8}, 1)}, {random_tensor({2, 3, 6}, 1)}}}};
}

TEST(Rotary, TurnsThePairOfTheTwoHalves) {
  Tape tape;
  const Tensor cos = table([](double a) { return std::cos(a); }),
               sin = table([](double a) { return std::sin(a); });
  const Var x = tape.leaf(random_tensor({1, 3, 4}, 1));
  const Tensor y = rotary(x, cos, sin, 1).value;
  for (Index t = 0; t < 3; ++t)
    for (Index j = 0; j < 2; ++j) {
      const double a = x.value.at(t * 4 + j), b = x.value.at(t * 4 + j + 2),
                   angle = static_cast<double>(t * (j + 1)) * 0.4;
      EXPECT_NEAR(y.at(t * 4 + j), a * std::cos(angle) - b * std::sin(angle), 1e-14);
      EXPECT_NEAR(y.at(t * 4 + j + 2), b * std::cos(angle) + a * std::sin(angle), 1e-14);
    }
}

}  // namespace headwater::testing
