// The laws every op obeys, over every sample of every op, in float64:
//
//   gradient      pull under the exact rules = central differences of forward
//   adjoint       ⟨push u, m⟩ = ⟨u, pull m⟩ under every rule set
//   stacked       many seeds in one walk = one walk each, bit for bit
//   replay        forward again from a changed input = a run with that input
//   conservation  under conserving rules push(x) = y less what belongs to no input
//   sharing       with shared biases, the parts of x pushed together add up to y
//   relevance     a relevance form passes each unit of relevance on whole, or not at all if nothing contributed
//   shapes        wrong shapes are refused before anything is computed

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "support/op_samples.h"
#include "support/random.h"
#include "support/replayed.h"

namespace headwater::testing {
namespace {

struct Recorded {
  std::unique_ptr<Tape> tape = std::make_unique<Tape>();
  std::vector<Var> inputs;
  Var y;
};

Recorded record(const OpSample& sample, const std::vector<Tensor>& inputs) {
  Recorded r;
  for (const Tensor& x : inputs) r.inputs.push_back(r.tape->leaf(x));
  r.y = sample.apply(r.inputs);
  return r;
}

std::vector<Rules> all_rules() {
  std::vector<Rules> all;
  for (const auto activation : {Rules::Activation::Tangent, Rules::Activation::Secant})
    for (const auto norm : {Rules::Norm::Exact, Rules::Norm::FrozenScale})
      for (const auto softmax : {Rules::Softmax::Exact, Rules::Softmax::Constant})
        for (const auto product : {Rules::Product::Exact, Rules::Product::Halved})
          all.push_back({.activation = activation, .norm = norm, .softmax = softmax, .product = product});
  for (const double gamma : {0.0, 0.7})
    all.push_back({.linear = Rules::Linear::Lrp, .epsilon = 0.1, .gamma = gamma});
  return all;
}

Tensor signal_or_zero(const Signals& signals, const Var& var) {
  const Tensor& s = signals.of(var);
  return s.empty() ? Tensor::zeros(var.value.shape(), DType::Float64) : s;
}

// Runs `law` over every sample and names the sample in a failure.
template <class Law>
void for_every_sample(const Law& law) {
  int count = 0;
  for (const auto& [op, samples] : all_op_samples()) {
    EXPECT_FALSE(samples.empty()) << op << " gives no samples";
    for (const OpSample& sample : samples) {
      SCOPED_TRACE(op + ": " + sample.name);
      law(sample);
      ++count;
    }
  }
  EXPECT_GT(count, 20);
}

TEST(OpLaws, PullIsTheGradient) {
  for_every_sample([](const OpSample& sample) {
    const Recorded r = record(sample, sample.inputs);
    const Tensor m = random_tensor(r.y.value.shape(), 7);
    const Signals signals = r.tape->pull(r.y, m, rules::gradient);
    for (std::size_t k = 0; k < sample.inputs.size(); ++k) {
      const Tensor pulled = signal_or_zero(signals, r.inputs[k]);
      for (Index i = 0; i < pulled.size(); ++i) {
        constexpr double h = 1e-5;
        std::vector<Tensor> moved = sample.inputs;
        const auto at = [&](double step) {
          moved[k] = sample.inputs[k].clone();
          moved[k].data<double>()[i] += step;
          return dot(record(sample, moved).y.value, m);
        };
        const double slope = (at(h) - at(-h)) / (2 * h);
        ASSERT_NEAR(pulled.at(i), slope, 1e-7 * (1 + std::abs(slope))) << "input " << k << ", element " << i;
      }
    }
  });
}

TEST(OpLaws, PushAndPullAreAdjointUnderEveryRuleSet) {
  for_every_sample([](const OpSample& sample) {
    const Recorded r = record(sample, sample.inputs);
    const Tensor m = random_tensor(r.y.value.shape(), 11);
    for (const Rules& rules : all_rules())
      for (std::size_t k = 0; k < sample.inputs.size(); ++k) {
        const Tensor u = random_tensor(sample.inputs[k].shape(), 13);
        const double there = dot(signal_or_zero(r.tape->push(r.inputs[k], u, rules), r.y), m);
        const double back = dot(u, signal_or_zero(r.tape->pull(r.y, m, rules), r.inputs[k]));
        ASSERT_NEAR(there, back, 1e-12 * (1 + std::abs(back) + std::sqrt(dot(u, u) * dot(m, m))))
            << "input " << k;
      }
  });
}

// [S, …] from S tensors.
Tensor stack(const std::vector<Tensor>& all) {
  std::vector<double> values;
  for (const Tensor& t : all) {
    const std::vector<double> v = t.to_doubles();
    values.insert(values.end(), v.begin(), v.end());
  }
  return Tensor::of(all[0].shape().with_front(static_cast<Index>(all.size())), values);
}

TEST(OpLaws, StackedSeedsEqualSingleOnes) {
  for_every_sample([](const OpSample& sample) {
    const Recorded r = record(sample, sample.inputs);
    std::vector<Tensor> seeds;
    for (std::uint32_t s = 0; s < 3; ++s) seeds.push_back(random_tensor(r.y.value.shape(), 17 + s));
    const Signals together = r.tape->pull(r.y, stack(seeds), rules::gradient);
    for (std::size_t k = 0; k < r.inputs.size(); ++k) {
      std::vector<Tensor> parts;
      for (std::uint32_t s = 0; s < 3; ++s) {
        const Signals alone = r.tape->pull(r.y, seeds[s], rules::gradient);
        ASSERT_EQ(largest_difference(together.of(r.inputs[k]).rows(s, 1).reshaped(r.inputs[k].value.shape()),
                                     alone.of(r.inputs[k])),
                  0);
        parts.push_back(random_tensor(r.inputs[k].value.shape(), 23 + s));
      }
      const Signals pushed = r.tape->push(r.inputs[k], stack(parts), rules::gradient);
      for (std::uint32_t s = 0; s < 3; ++s)
        ASSERT_EQ(largest_difference(pushed.of(r.y).rows(s, 1).reshaped(r.y.value.shape()),
                                     r.tape->push(r.inputs[k], parts[s], rules::gradient).of(r.y)),
                  0);
    }
  });
}

TEST(OpLaws, ReplayEqualsAnEditedRun) {
  for_every_sample([](const OpSample& sample) {
    const Recorded r = record(sample, sample.inputs);
    for (std::size_t k = 0; k < sample.inputs.size(); ++k) {
      std::vector<Tensor> changed = sample.inputs;
      changed[k] = random_tensor(sample.inputs[k].shape(), 29);
      ASSERT_EQ(largest_difference(replayed(*r.tape, r.inputs[k], changed[k], r.y),
                                   record(sample, changed).y.value),
                0);
    }
  });
}

TEST(OpLaws, ConservingRulesShareOutTheWholeOutput) {
  constexpr Rules conserving{.activation = Rules::Activation::Secant,
                             .norm = Rules::Norm::FrozenScale,
                             .product = Rules::Product::Halved};
  for_every_sample([&](const OpSample& sample) {
    if (!sample.conserves) return;
    const Recorded r = record(sample, sample.inputs);
    Tensor sum = Tensor::zeros(r.y.value.shape(), DType::Float64);
    for (std::size_t k = 0; k < sample.inputs.size(); ++k) {
      const Tensor part = signal_or_zero(r.tape->push(r.inputs[k], sample.inputs[k], conserving), r.y);
      for (Index i = 0; i < sum.size(); ++i) sum.data<double>()[i] += part.at(i);
    }
    for (Index i = 0; i < sum.size(); ++i) {
      const double belongs_to_no_input =
          sample.constant.empty() ? 0 : sample.constant.at(i % sample.constant.size());
      ASSERT_NEAR(sum.at(i) + belongs_to_no_input, r.y.value.at(i), 1e-12 * (1 + std::abs(r.y.value.at(i))));
    }
  });
}

TEST(OpLaws, SharedBiasesLeaveNothingOver) {
  constexpr Rules sharing{.activation = Rules::Activation::Secant,
                          .norm = Rules::Norm::FrozenScale,
                          .product = Rules::Product::Halved,
                          .bias = Rules::Bias::AbsDot};
  for_every_sample([&](const OpSample& sample) {
    if (!sample.conserves || sample.inputs.size() != 1) return;
    const Recorded r = record(sample, sample.inputs);
    std::vector<Tensor> parts{random_tensor(sample.inputs[0].shape(), 31),
                              random_tensor(sample.inputs[0].shape(), 37), sample.inputs[0].clone()};
    for (Index i = 0; i < parts[0].size(); ++i) parts[2].data<double>()[i] -= parts[0].at(i) + parts[1].at(i);
    const Tensor pushed = r.tape->push(r.inputs[0], stack(parts), sharing).of(r.y);
    const Index size = r.y.value.size();
    const bool rows_of_its_own = pushed.size() == 3 * size && sample.constant.rank() > 1;  // prepended rows
    for (Index i = 0; i < size && !rows_of_its_own; ++i)
      ASSERT_NEAR(pushed.at(i) + pushed.at(size + i) + pushed.at(2 * size + i), r.y.value.at(i),
                  1e-9 * (1 + std::abs(r.y.value.at(i))));
  });
}

TEST(OpLaws, RelevanceIsHandedOnWholeOrNotAtAll) {
  for_every_sample([](const OpSample& sample) {
    if (!sample.conserves) return;
    const Recorded r = record(sample, sample.inputs);
    const Index size = r.y.value.size();
    Index whole = 0;
    for (Index e = 0; e < size; ++e) {
      Tensor one = Tensor::zeros(r.y.value.shape(), DType::Float64);
      one.data<double>()[e] = 1;
      const Signals back = r.tape->pull(r.y, one, {.relevance = Rules::Relevance::Chefer});
      double sum = 0;
      for (const Var& input : r.inputs)
        for (const double v : signal_or_zero(back, input).to_doubles()) sum += v;
      const bool all = std::abs(sum - 1) < 1e-9;
      ASSERT_TRUE(all || sum == 0) << "element " << e << ": " << sum;
      whole += all ? 1 : 0;
    }
    EXPECT_GE(2 * whole, size);
  });
}

TEST(OpLaws, WrongShapesAreRefused) {
  for_every_sample([](const OpSample& sample) {
    for (const auto& inputs : sample.rejected) EXPECT_THROW(record(sample, inputs), InternalError);
  });
}

TEST(OpLaws, SignalsOfAnotherShapeAreRefused) {
  for_every_sample([](const OpSample& sample) {
    const Recorded r = record(sample, sample.inputs);
    EXPECT_THROW(r.tape->pull(r.y, Tensor::zeros({1, 2, 3, 4, 5, 6, 7}, DType::Float64), rules::gradient),
                 InternalError);
  });
}

}  // namespace
}  // namespace headwater::testing
