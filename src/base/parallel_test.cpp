#include "base/parallel.h"

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace headwater {
namespace {

// Sets the number of threads and puts it back.
class Threads {
 public:
  explicit Threads(int count) : before_(thread_count()) { set_thread_count(count); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { set_thread_count(before_); }

 private:
  int before_;
};

TEST(ParallelFor, CoversEveryIndexOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    const Threads set(threads);
    EXPECT_EQ(thread_count(), threads);
    for (const std::int64_t n : {1, 2, 7, 64, 1000}) {
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(n));
      parallel_for(n, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
      });
      for (const auto& count : seen) ASSERT_EQ(count, 1);
    }
  }
}

TEST(ParallelFor, RangesAreAtLeastTheGrain) {
  const Threads set(8);
  std::mutex guard;
  for (const std::int64_t n : {100, 101, 350, 799}) {
    std::int64_t calls = 0;
    parallel_for(n, 100, [&](std::int64_t begin, std::int64_t end) {
      const std::lock_guard lock(guard);
      ++calls;
      EXPECT_GE(end - begin, 100);
    });
    EXPECT_EQ(calls, n / 100);
  }
}

TEST(ParallelFor, NothingToDo) {
  for (const std::int64_t n : {0, -5})
    parallel_for(n, 1, [](std::int64_t, std::int64_t) { FAIL() << "called"; });
}

TEST(ParallelFor, AnyGrain) {
  for (const std::int64_t grain : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1} << 60U}) {
    std::atomic<std::int64_t> sum = 0;
    parallel_for(10, grain, [&](std::int64_t begin, std::int64_t end) { sum += end - begin; });
    EXPECT_EQ(sum, 10);
  }
}

TEST(ParallelFor, NestedCallsStayOnTheirThread) {
  const Threads set(4);
  std::atomic<std::int64_t> sum = 0;
  parallel_for(4, 1, [&](std::int64_t outer_begin, std::int64_t outer_end) {
    for (std::int64_t i = outer_begin; i < outer_end; ++i) {
      int calls = 0;  // not atomic: the inner call runs on this thread
      parallel_for(100, 1, [&](std::int64_t begin, std::int64_t end) {
        ++calls;
        sum += end - begin;
      });
      EXPECT_EQ(calls, 1);
    }
  });
  EXPECT_EQ(sum, 400);
}

TEST(ParallelFor, ExceptionsReachTheCaller) {
  const auto first = [](std::int64_t begin, std::int64_t) {
    if (begin == 0) throw std::out_of_range("first");
  };
  const auto all = [](std::int64_t, std::int64_t) { throw std::range_error("all"); };
  for (const int threads : {1, 4}) {
    const Threads set(threads);
    EXPECT_THROW(parallel_for(100, 1, first), std::out_of_range);
    EXPECT_THROW(parallel_for(100, 1, all), std::range_error);
  }
}

TEST(Threads, ZeroMeansAllOfTheMachine) {
  const Threads set(0);
  EXPECT_GE(thread_count(), 1);
}

}  // namespace
}  // namespace headwater
