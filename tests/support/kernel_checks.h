// What the kernel tests share: numbers from a fixed seed, comparison against a tolerance, and a run over
// every instruction set this processor has.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "kernels/simd.h"

namespace headwater::kernels::testing {

template <class R>
std::vector<R> random_numbers(Index n, unsigned seed, double size = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-size, size);
  std::vector<R> numbers(static_cast<std::size_t>(n));
  for (R& x : numbers) x = static_cast<R>(uniform(generator));
  return numbers;
}

template <class R>
constexpr double epsilon = sizeof(R) == 4 ? 1.2e-7 : 2.3e-16;

// |found − expected| ≤ tolerance · (1 + |expected|) for every number.
template <class R>
void expect_close(const std::vector<R>& found, const std::vector<R>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double e = static_cast<double>(expected[i]), f = static_cast<double>(found[i]);
    ASSERT_LE(std::abs(f - e), tolerance * (1 + std::abs(e))) << "at " << i << ": " << f << " against " << e;
  }
}

// Runs the body once for each instruction set and puts the widest back.
template <class Body>
void on_every_isa(const Body& body) {
  for (const Isa which : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    if (which > widest_isa()) break;
    SCOPED_TRACE(name_of(which));
    limit_isa(which);
    body();
  }
  limit_isa(Isa::Avx512);
}

// The result of `make` on one, two and three threads must have the same bits.
template <class Make>
void expect_same_on_any_threads(const Make& make) {
  const int before = thread_count();
  set_thread_count(1);
  const auto alone = make();
  for (const int threads : {2, 3}) {
    set_thread_count(threads);
    EXPECT_EQ(make(), alone) << threads << " threads";
  }
  set_thread_count(before);
}

}  // namespace headwater::kernels::testing
