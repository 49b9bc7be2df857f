#include "server/job_queue.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <thread>

#include <gtest/gtest.h>
#include <headwater/error.h>

namespace headwater {
namespace {

using std::chrono::milliseconds;

class FakeResult : public JobResult {
 public:
  explicit FakeResult(std::size_t bytes) : bytes_(bytes) {}
  HttpReply reply(const HttpRequest&) const override { return {}; }
  std::size_t bytes() const override { return bytes_; }

 private:
  std::size_t bytes_;
};

JobWork of_size(std::size_t bytes) {
  return [bytes](const std::string&, JobTeller&) { return std::make_shared<FakeResult>(bytes); };
}

// Works until it is stopped, or let go.
struct Endless {
  std::promise<void> go;
  JobWork work() {
    return [gone = std::make_shared<std::shared_future<void>>(go.get_future())](
               const std::string&, JobTeller& teller) -> std::shared_ptr<const JobResult> {
      while (gone->wait_for(milliseconds(1)) != std::future_status::ready) teller.progress("endless", 0.5);
      return std::make_shared<FakeResult>(1);
    };
  }
};

JobState when_over(const JobQueue& queue, const std::string& id) {
  JobState state = queue.look(id).value();
  while (!is_over(state.status)) state = queue.wait(id, state.version, milliseconds(1000)).value();
  return state;
}

void until_running(const JobQueue& queue, const std::string& id) {
  JobState state = queue.look(id).value();
  while (state.status == JobStatus::Queued) state = queue.wait(id, state.version, milliseconds(1000)).value();
}

TEST(JobQueue, RunsWhatIsSubmittedAndTells) {
  JobQueue queue({});
  const std::string id = queue.submit([](const std::string&, JobTeller& teller) {
    teller.progress("a", 0.5);
    teller.layers(std::make_shared<FakeResult>(1));
    teller.ended({"a", 0.25}, std::make_shared<FakeResult>(1));
    return std::make_shared<FakeResult>(2);
  });
  EXPECT_EQ(id.size(), 32U);
  const JobState state = when_over(queue, id);
  EXPECT_EQ(state.status, JobStatus::Done);
  EXPECT_EQ(state.result->bytes(), 2U);
  EXPECT_EQ(state.grown, 1U);
  ASSERT_EQ(state.ended.size(), 1U);
  EXPECT_EQ(state.ended[0].method, "a");
  EXPECT_EQ(queue.counts().done, 1U);
  queue.forget(id);
  EXPECT_FALSE(queue.look(id).has_value());
  EXPECT_EQ(queue.counts().stored_bytes, 0U);
}

TEST(JobQueue, RefusesMoreThanItsBacklog) {
  JobQueue queue({.backlog = 1});
  Endless first, second;
  const std::string running = queue.submit(first.work());
  until_running(queue, running);
  const std::string waiting = queue.submit(second.work());
  EXPECT_EQ(queue.look(waiting)->before, 1U);
  try {
    queue.submit(of_size(1));
    FAIL() << "expected a refusal";
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.code, 429);
    EXPECT_GE(refused.retry_after, 1);
  }
  first.go.set_value();
  second.go.set_value();
  EXPECT_EQ(when_over(queue, waiting).status, JobStatus::Done);
  EXPECT_EQ(queue.counts().refused, 1U);
}

TEST(JobQueue, ShortWorkComesFirst) {
  JobQueue queue({});
  Endless first;
  until_running(queue, queue.submit(first.work()));
  std::vector<int> ran;
  const auto noting = [&ran](int which) {
    return [&ran, which](const std::string&, JobTeller&) {
      ran.push_back(which);
      return std::make_shared<FakeResult>(1);
    };
  };
  const std::string last = queue.submit(noting(3));
  const std::string quick = queue.submit(noting(1), JobKind::Short);
  const std::string next = queue.submit(noting(2), JobKind::Short);
  EXPECT_EQ(queue.look(quick)->before, 1U);
  EXPECT_EQ(queue.look(next)->before, 2U);
  EXPECT_EQ(queue.look(last)->before, 3U);
  first.go.set_value();
  when_over(queue, next);
  when_over(queue, last);
  ASSERT_EQ(ran.size(), 3U);
  EXPECT_EQ(ran[0], 1);
  EXPECT_LT(std::find(ran.begin(), ran.end(), 1), std::find(ran.begin(), ran.end(), 2))
      << "in the order they came";
}

// Short work that never ends to come, as of many clients, and one piece of long work among it.
TEST(JobQueue, LongWorkIsNotStarved) {
  JobQueue queue({});
  Endless first;
  until_running(queue, queue.submit(first.work()));
  std::atomic<bool> there{false};
  std::atomic<int> rounds{0};
  std::function<void()> another = [&] {
    queue.submit(
        [&](const std::string&, JobTeller&) {
          if (!there && ++rounds < 5000) another();
          std::this_thread::sleep_for(milliseconds(1));
          return std::make_shared<FakeResult>(1);
        },
        JobKind::Short);
  };
  another();
  another();
  const std::string waiting = queue.submit([&](const std::string&, JobTeller&) {
    there = true;
    return std::make_shared<FakeResult>(1);
  });
  first.go.set_value();
  when_over(queue, waiting);
  EXPECT_LT(rounds, 5000);
  queue.stop();
}

TEST(JobQueue, CancelFreesTheWorker) {
  JobQueue queue({});
  Endless first, second;
  const std::string running = queue.submit(first.work()), waiting = queue.submit(second.work());
  until_running(queue, running);
  EXPECT_TRUE(queue.cancel(waiting));
  EXPECT_EQ(queue.look(waiting)->status, JobStatus::Cancelled) << "at once";
  EXPECT_TRUE(queue.cancel(running));
  EXPECT_EQ(when_over(queue, running).status, JobStatus::Cancelled);
  EXPECT_EQ(when_over(queue, queue.submit(of_size(1))).status, JobStatus::Done);
  EXPECT_FALSE(queue.cancel("nobody"));
  EXPECT_EQ(queue.counts().cancelled, 2U);
}

TEST(JobQueue, EndsWhatTakesTooLong) {
  JobQueue queue({.time = milliseconds(20)});
  Endless endless;
  const JobState state = when_over(queue, queue.submit(endless.work()));
  EXPECT_EQ(state.status, JobStatus::Failed);
  EXPECT_EQ(state.failure.type, "limit_exceeded");
}

TEST(JobQueue, FailuresSayWhy) {
  JobQueue queue({});
  const auto failing = [&](auto error) {
    return when_over(queue,
                     queue.submit([error](const std::string&,
                                          JobTeller&) -> std::shared_ptr<const JobResult> { throw error; }))
        .failure;
  };
  EXPECT_EQ(failing(InputError("x")).code, 400);
  EXPECT_EQ(failing(FormatError("/proc/self/fd/17: broken")).message, "image: broken");
  EXPECT_EQ(failing(Unsupported("x")).type, "unsupported");
  EXPECT_EQ(failing(InternalError("x")).code, 500);
  EXPECT_EQ(failing(std::bad_alloc()).code, 503);
  EXPECT_EQ(failing(17).code, 500);
}

TEST(JobQueue, TheStoreForgetsTheOldest) {
  JobQueue queue({.store_bytes = 30000});
  std::vector<std::string> ids;
  for (int i = 0; i < 4; ++i) {
    ids.push_back(queue.submit(of_size(8000)));
    when_over(queue, ids.back());
  }
  EXPECT_FALSE(queue.look(ids[0]).has_value());
  EXPECT_FALSE(queue.look(ids[1]).has_value());
  EXPECT_TRUE(queue.look(ids[2]).has_value());
  EXPECT_LE(queue.counts().stored_bytes, 30000U);
  ids.push_back(queue.submit(of_size(1 << 20)));
  when_over(queue, ids.back());
  EXPECT_TRUE(queue.look(ids.back()).has_value()) << "the newest stays";
  EXPECT_EQ(queue.counts().stored, 1U);
}

TEST(JobQueue, StopFinishesWhatRuns) {
  JobQueue queue({});
  Endless first, second;
  const std::string running = queue.submit(first.work());
  until_running(queue, running);
  const std::string waiting = queue.submit(second.work());
  std::thread letting_go([&] {
    when_over(queue, waiting);
    first.go.set_value();
  });
  queue.stop();
  letting_go.join();
  EXPECT_EQ(queue.look(running)->status, JobStatus::Done);
  EXPECT_EQ(queue.look(waiting)->failure.code, 503);
  EXPECT_THROW(queue.submit(of_size(1)), Refused);
}

}  // namespace
}  // namespace headwater
