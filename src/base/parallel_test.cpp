#include "base/parallel.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/side_by_side.h"

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

TEST(SideBySide, HandsOutPiecesOneByOneAndKeepsTheirLoopsOnTheirThreads) {
  for (const int threads : {1, 2, 5}) {
    const Threads set(threads);
    for (const std::int64_t n : {0, 1, 2, 33, 70000}) {
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(n));
      std::atomic<int> strayed{0};
      side_by_side(n, [&](std::int64_t i) {
        ++seen[static_cast<std::size_t>(i)];
        if (n > 1000) return;
        const auto here = std::this_thread::get_id();
        parallel_for(64, 1, [&](std::int64_t, std::int64_t) {
          if (n > 1 && std::this_thread::get_id() != here) ++strayed;
        });
      });
      for (const auto& count : seen) ASSERT_EQ(count, 1);
      EXPECT_EQ(strayed, 0) << threads << " threads, " << n;
    }
  }
}

TEST(SideBySide, ThrowsWhatTheFirstPieceThatFailedThrew) {
  for (const int threads : {1, 2, 5}) {
    const Threads set(threads);
    for (int again = 0; again < 20; ++again) {
      try {
        side_by_side(50, [](std::int64_t i) {
          if (i % 7 == 3) throw std::runtime_error(std::to_string(i));
        });
        FAIL() << "expected an exception";
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "3");
      }
    }
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

TEST(ParallelFor, TheExceptionOfTheLowestRangeWins) {
  const Threads set(4);
  for (int round = 0; round < 200; ++round) try {
      parallel_for(64, 1, [](std::int64_t begin, std::int64_t) {
        if (begin >= 8) throw std::out_of_range(std::to_string(begin));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::out_of_range& error) {
      ASSERT_STREQ(error.what(), "8");
    }
  std::atomic<int> sum = 0;  // and the pool goes on working
  parallel_for(64, 1, [&](std::int64_t begin, std::int64_t end) { sum += static_cast<int>(end - begin); });
  EXPECT_EQ(sum, 64);
}

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

TEST(ParallelFor, WaitingThreadsSleep) {
  const Threads set(4);
  std::atomic<int> sum = 0;
  parallel_for(16, 1, [&](std::int64_t, std::int64_t) { ++sum; });
  const double before = seconds(CLOCK_PROCESS_CPUTIME_ID);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(seconds(CLOCK_PROCESS_CPUTIME_ID) - before,
            0.02);  // three threads that spin would take up to 0.6
}

// One thread that is held back: the others do all pieces but the one it has.
TEST(ParallelFor, ALateThreadHoldsUpItsOwnPieceOnly) {
  const Threads set(2);
  std::atomic<std::int64_t> others = 0;
  std::atomic<std::thread::id> late{};
  parallel_for(8, 1, [&](std::int64_t begin, std::int64_t) {
    if (begin == 0) {
      late = std::this_thread::get_id();
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
      while (others < 7 && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } else {
      EXPECT_NE(std::this_thread::get_id(), late.load());
      ++others;
    }
  });
  EXPECT_EQ(others, 7);
}

TEST(ParallelFor, AtMostTheThreadsAskedForAtATime) {
  for (const int threads : {2, 3, 6, 2}) {
    const Threads set(threads);
    std::atomic<int> running = 0, most = 0;
    for (int round = 0; round < 50; ++round)
      parallel_for(100, 1, [&](std::int64_t, std::int64_t) {
        const int now = ++running;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::sleep_for(std::chrono::microseconds(20));
        --running;
      });
    EXPECT_LE(most, threads);
  }
}

TEST(ParallelFor, SeveralCallersAtOnce) {
  const Threads set(3);
  std::vector<std::thread> callers;
  std::atomic<std::int64_t> wrong = 0;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        std::atomic<std::int64_t> sum = 0;
        parallel_for(1000, 10, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) sum += i;
        });
        if (sum != 499500) ++wrong;
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ParallelFor, AForkedChildHasAPoolOfItsOwn) {
  if (std::getenv("TSAN_OPTIONS") != nullptr)
    GTEST_SKIP() << "ThreadSanitizer starts no threads after a fork";
  const Threads set(2);
  std::atomic<int> sum = 0;
  const auto add = [&](std::int64_t begin, std::int64_t end) { sum += static_cast<int>(end - begin); };
  parallel_for(100, 1, add);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);  // a child that hangs ends, and not with 0
    parallel_for(100, 1, add);
    ::_exit(sum == 200 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Threads, ZeroMeansAllOfTheMachine) {
  const Threads set(0);
  EXPECT_GE(thread_count(), 1);
}

}  // namespace
}  // namespace headwater
