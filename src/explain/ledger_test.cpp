#include "explain/ledger.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "support/random.h"

namespace headwater {
namespace {

struct Books {
  double seeded, leaked, largest, entering;
  bool operator==(const Books&) const = default;
};

// One op whose output y brings relevance m ⊙ y and hands on half of it.
Books books_of(const Rules& rules, const Tensor& y, const Tensor& m, const Tensor& back) {
  Ledger ledger(rules, 1);
  const Call call{.x = {y}, .y = y};
  const std::vector<Tensor> on{back};
  ledger.watch().passed({.op = "linear", .at = {Site::ResidPost, 0}, .call = call, .signal = m, .back = on});
  return {ledger.seeded(), ledger.leaked(), ledger.largest(), ledger.entering(0)};
}

Books with_threads(int threads, const Rules& rules, const Tensor& y, const Tensor& m, const Tensor& back) {
  const int before = thread_count();
  set_thread_count(threads);
  const Books books = books_of(rules, y, m, back);
  set_thread_count(before);
  return books;
}

// Several chunks, the last one neither full nor a whole number of lanes; then one short of a lane.
const std::vector<Index> sizes{5 * 16384 + 8 * 3 + 5, 16384, 7, 1};

TEST(Ledger, SumsAreTheSameBitsForAnyNumberOfThreads) {
  for (const DType dtype : {DType::Float32, DType::Float64})
    for (const Rules& rules : {Rules{}, Rules{.relevance = Rules::Relevance::Chefer}})
      for (const Index n : sizes) {
        const Tensor y = testing::random_tensor({1, 1, n}, 1, dtype);
        const Tensor m = testing::random_tensor({1, 1, n}, 2, dtype);
        const Tensor back = testing::random_tensor({1, 1, n}, 3, dtype);
        const Books one = with_threads(1, rules, y, m, back);
        for (const int threads : {2, 3, 5}) EXPECT_EQ(with_threads(threads, rules, y, m, back), one) << n;
      }
}

TEST(Ledger, SumsHoldEveryTerm) {
  for (const bool forms : {false, true})
    for (const Index n : sizes) {
      const Tensor y = testing::random_tensor({1, 1, n}, 4, DType::Float64);
      const Tensor m = testing::random_tensor({1, 1, n}, 5, DType::Float64);
      const Tensor back = testing::random_tensor({1, 1, n}, 6, DType::Float64);
      long double in = 0, out = 0, absolute = 0;
      for (Index i = 0; i < n; ++i) {
        const long double value = forms ? 1 : static_cast<long double>(y.at(i));
        in += static_cast<long double>(m.at(i)) * value;
        absolute += std::abs(static_cast<long double>(m.at(i)) * value);
        out += static_cast<long double>(back.at(i)) * value;
      }
      const Rules rules{.relevance = forms ? Rules::Relevance::Chefer : Rules::Relevance::None};
      const Books books = books_of(rules, y, m, back);
      const double bound = 1e-13 * static_cast<double>(absolute) + 1e-15;
      EXPECT_NEAR(books.seeded, static_cast<double>(in), bound) << n;
      EXPECT_NEAR(books.entering, static_cast<double>(in), bound) << n;
      EXPECT_NEAR(books.largest, static_cast<double>(absolute), bound) << n;
      EXPECT_NEAR(books.leaked, static_cast<double>(in - out), 2 * bound) << n;
    }
}

// A sum of two of which the walk follows one: what the other would have got is no leak.
TEST(Ledger, BooksWhatIsNotFollowedApart) {
  const Tensor a = Tensor::of({1, 1, 2}, std::vector<double>{1, 2});
  const Tensor y = Tensor::of({1, 1, 2}, std::vector<double>{4, 7});
  const Tensor m = Tensor::of({1, 1, 2}, std::vector<double>{0.5, 1});
  Ledger ledger(rules::gradient, 1);
  const Call call{.x = {a, Tensor::of({1, 1, 2}, std::vector<double>{3, 5})}, .y = y};
  const std::vector<Tensor> back{m, Tensor()};
  ledger.watch().passed({.op = "add", .at = {Site::ResidPost, 0}, .call = call, .signal = m, .back = back});
  EXPECT_DOUBLE_EQ(ledger.seeded(), 9);
  EXPECT_DOUBLE_EQ(ledger.leaked(), 0);
  EXPECT_DOUBLE_EQ(ledger.unfollowed(), 6.5);
  EXPECT_TRUE(ledger.check_arrived("sum", 2.5).passed);
  EXPECT_FALSE(ledger.check_arrived("sum", 2.6).passed);
  EXPECT_TRUE(ledger.check_arrived("sum", 2.6, 0.1).passed) << "what a guard allows";
  EXPECT_TRUE(ledger.check_blocks(0).passed);
  Attribution result;
  ledger.report(result);
  ASSERT_EQ(result.details.size(), 2U);
  EXPECT_EQ(result.details[0].name, "conservation");
  EXPECT_DOUBLE_EQ(result.details[0].values.at(0), 9);
  EXPECT_EQ(result.details[1].name, "unfollowed");
}

// Relevance that vanishes between two ops is in nobody's books.
TEST(Ledger, MissesWhatIsLostBetweenOps) {
  const Tensor x = Tensor::of({1, 1, 1}, std::vector<double>{2});
  const Tensor m = Tensor::of({1, 1, 1}, std::vector<double>{3});
  const Tensor less = Tensor::of({1, 1, 1}, std::vector<double>{2.5});
  Ledger ledger(rules::gradient, 1);
  const PullHooks hooks = ledger.watch();
  const Call call{.x = {x}, .y = x};
  const std::vector<Tensor> all{m}, rest{less};
  hooks.passed({.op = "linear", .at = {Site::Logits, 0}, .call = call, .signal = m, .back = all});
  hooks.passed({.op = "add", .at = {Site::ResidPost, 0}, .call = call, .signal = less, .back = rest});
  EXPECT_FALSE(ledger.check_blocks(0).passed);
  EXPECT_DOUBLE_EQ(ledger.check_blocks(0).value, 1);
}

}  // namespace
}  // namespace headwater
