// What is computed, one after the other: two queues of bounded length, one worker, and a store that keeps
// results until their bytes are needed for newer ones. Thread-safe.
//
// Short work (a prediction) waits in a queue of its own, each in the order it came. Of the two the worker
// turns to the one it has given less time to, so that short work need not wait for all long work, and long
// work waits at most twice as long as if there were no short work at all.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "server/message.h"

namespace headwater {

// What a job gives, kept for those who ask.
class JobResult {
 public:
  virtual ~JobResult() = default;
  virtual HttpReply reply(const HttpRequest& request) const = 0;  // in the form the client takes
  virtual HttpReply layer(std::size_t, std::int64_t) const {      // of scores that come layer by layer
    throw Refused(404, "not_found", "scores: this job has none");
  }
  virtual std::size_t bytes() const = 0;
};

enum class JobStatus { Queued, Running, Done, Failed, Cancelled };
std::string_view name_of(JobStatus status);  // "queued", …
inline bool is_over(JobStatus status) {
  return status != JobStatus::Queued && status != JobStatus::Running;
}

struct EndedMethod {
  std::string method;
  double seconds = 0;
};

// A job as it stands.
struct JobState {
  std::string id;
  JobStatus status = JobStatus::Queued;
  std::size_t before = 0;  // jobs that come first, while it waits
  std::string method;      // that runs
  double done = 0;         // of it
  std::vector<EndedMethod> ended;
  std::size_t grown = 0;                    // how often layers of a running method came
  Failure failure;                          // of a failed one
  std::shared_ptr<const JobResult> result;  // while it runs: what there is so far
  std::uint64_t version = 0;                // grows with every change
};

// What the work of a job tells. Throws what ends the work when the job was cancelled or has had its time.
class JobTeller {
 public:
  virtual ~JobTeller() = default;
  virtual void progress(const std::string& method, double done) = 0;
  virtual void ended(const EndedMethod& method, std::shared_ptr<const JobResult> so_far) = 0;
  // Some layers of the method that runs.
  virtual void layers(std::shared_ptr<const JobResult> so_far) = 0;
};
using JobWork = std::function<std::shared_ptr<const JobResult>(const std::string& id, JobTeller&)>;

enum class JobKind { Short, Long };

struct JobLimits {
  std::size_t backlog = 16;                                  // jobs of each kind that may wait
  std::size_t store_bytes = std::size_t{1} << 29;            // of finished jobs
  std::chrono::milliseconds time = std::chrono::minutes(5);  // for one job to run
};

struct JobCounts {
  std::size_t waiting = 0, running = 0, stored = 0, stored_bytes = 0;
  std::size_t done = 0, failed = 0, cancelled = 0, refused = 0;  // since the start
  double seconds = 0;                                            // that jobs ran
};

class JobQueue {
 public:
  explicit JobQueue(const JobLimits& limits);
  ~JobQueue();
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  // The id, which nobody can guess. Throws Refused (429) when too many wait, (503) when it is stopping.
  std::string submit(JobWork work, JobKind kind = JobKind::Long);
  std::optional<JobState> look(const std::string& id) const;
  // The same when its version is not `seen` any more, or after that time.
  std::optional<JobState> wait(const std::string& id, std::uint64_t seen,
                               std::chrono::milliseconds at_most) const;
  // A waiting job is over at once, a running one when it next tells how far it is. False: there is none.
  bool cancel(const std::string& id);
  void forget(const std::string& id);  // a finished one
  JobCounts counts() const;
  // What waits is refused, what runs is finished; then the worker ends.
  void stop();

 private:
  struct Job;
  class Teller;
  struct Lane {
    std::deque<std::shared_ptr<Job>> waiting;
    double seconds = 0;  // that its jobs ran, and what the other was ahead when the first of these came
  };
  Lane& lane_of(JobKind kind) { return lanes_[static_cast<std::size_t>(kind)]; }
  void begin_fairly(Lane& lane, JobKind kind);  // with the lock held, as the next
  std::shared_ptr<Job> next();                  // none if none waits
  void work_on();
  void run(const std::shared_ptr<Job>& job);
  void finish(Job& job, JobStatus status);  // with the lock held, as the next two
  void keep_within_bytes();
  JobState state_of(const Job& job) const;
  template <class Change>
  void change(Job& job, const Change& change);

  JobLimits limits_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::map<std::string, std::shared_ptr<Job>> jobs_;
  std::array<Lane, 2> lanes_;
  std::optional<JobKind> running_;
  std::list<std::string> stored_;  // finished, the oldest first
  JobCounts counts_;
  bool stopping_ = false;
  std::thread worker_;
};

}  // namespace headwater
