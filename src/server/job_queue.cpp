#include "server/job_queue.h"

#include <algorithm>

#include <fmt/format.h>
#include <openssl/rand.h>

namespace headwater {

namespace {

constexpr std::size_t job_bytes =
    4096;  // what a job takes besides its result, so that their number is bounded

// Thrown through the work of a job that was cancelled.
struct JobCancelled {};

std::string fresh_id() {
  unsigned char bytes[16];
  if (RAND_bytes(bytes, sizeof bytes) != 1)
    throw Refused(503, "internal_error", "job: the system gives no random numbers");
  std::string id;
  for (const unsigned char byte : bytes) id += fmt::format("{:02x}", byte);
  return id;
}

}  // namespace

std::string_view name_of(JobStatus status) {
  static constexpr std::string_view names[] = {"queued", "running", "done", "failed", "cancelled"};
  return names[static_cast<std::size_t>(status)];
}

struct JobQueue::Job {
  JobState state;
  JobWork work;
  JobKind kind = JobKind::Long;
  bool cancelled = false;
  std::size_t bytes = 0;  // in the store
  std::chrono::steady_clock::time_point begin;
};

class JobQueue::Teller : public JobTeller {
 public:
  Teller(JobQueue& queue, Job& job) : queue_(queue), job_(job) {}

  void progress(const std::string& method, double done) override {
    go_on();
    queue_.change(job_, [&](JobState& state) {
      state.method = method;
      state.done = done;
    });
  }
  void ended(const EndedMethod& method, std::shared_ptr<const JobResult> so_far) override {
    queue_.change(job_, [&](JobState& state) {
      state.ended.push_back(method);
      if (so_far) state.result = std::move(so_far);
    });
    go_on();
  }
  void layers(std::shared_ptr<const JobResult> so_far) override {
    queue_.change(job_, [&](JobState& state) {
      ++state.grown;
      state.result = std::move(so_far);
    });
    go_on();
  }

 private:
  void go_on() const {
    {
      const std::lock_guard lock(queue_.mutex_);
      if (job_.cancelled) throw JobCancelled();
    }
    if (std::chrono::steady_clock::now() - job_.begin > queue_.limits_.time)
      throw Refused(422, "limit_exceeded",
                    fmt::format("time: expected a job of at most {} s, found one that takes longer; ask for "
                                "fewer methods, a shorter text or a cheaper setting",
                                std::chrono::duration<double>(queue_.limits_.time).count()));
  }

  JobQueue& queue_;
  Job& job_;
};

JobQueue::JobQueue(const JobLimits& limits) : limits_(limits), worker_([this] { work_on(); }) {}

JobQueue::~JobQueue() {
  stop();
}

std::string JobQueue::submit(JobWork work, JobKind kind) {
  const std::lock_guard lock(mutex_);
  if (stopping_) throw Refused(503, "unavailable", "server: it is shutting down");
  Lane& lane = lane_of(kind);
  if (lane.waiting.size() >= limits_.backlog) {
    ++counts_.refused;
    throw Refused(429, "overloaded",
                  fmt::format("queue: expected fewer than {} waiting jobs, found {}; try again later",
                              limits_.backlog, lane.waiting.size()),
                  1);
  }
  const auto job = std::make_shared<Job>();
  job->state.id = fresh_id();
  job->work = std::move(work);
  job->kind = kind;
  jobs_[job->state.id] = job;
  begin_fairly(lane, kind);
  lane.waiting.push_back(job);
  changed_.notify_all();
  return job->state.id;
}

JobState JobQueue::state_of(const Job& job) const {
  JobState state = job.state;
  if (state.status != JobStatus::Queued) return state;
  const auto& waiting = lanes_[static_cast<std::size_t>(job.kind)].waiting;
  const auto place =
      std::find_if(waiting.begin(), waiting.end(), [&](const auto& w) { return w.get() == &job; });
  state.before = static_cast<std::size_t>(place - waiting.begin()) + counts_.running;
  if (job.kind == JobKind::Long)
    state.before += lanes_[static_cast<std::size_t>(JobKind::Short)].waiting.size();
  return state;
}

std::optional<JobState> JobQueue::look(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return {};
  return state_of(*found->second);
}

std::optional<JobState> JobQueue::wait(const std::string& id, std::uint64_t seen,
                                       std::chrono::milliseconds at_most) const {
  std::unique_lock lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return {};
  const std::shared_ptr<Job> job = found->second;  // kept, should the store drop it
  changed_.wait_for(lock, at_most, [&] { return job->state.version != seen; });
  return state_of(*job);
}

bool JobQueue::cancel(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return false;
  Job& job = *found->second;
  job.cancelled = true;
  if (job.state.status == JobStatus::Queued) {
    std::erase(lane_of(job.kind).waiting, found->second);
    finish(job, JobStatus::Cancelled);
  }
  return true;
}

void JobQueue::forget(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || !is_over(found->second->state.status)) return;
  counts_.stored_bytes -= found->second->bytes;
  std::erase(stored_, id);
  jobs_.erase(found);
}

JobCounts JobQueue::counts() const {
  const std::lock_guard lock(mutex_);
  JobCounts counts = counts_;
  for (const Lane& lane : lanes_) counts.waiting += lane.waiting.size();
  counts.stored = stored_.size();
  return counts;
}

void JobQueue::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (Lane& lane : lanes_) {
      for (const auto& job : lane.waiting) {
        job->state.failure = {503, "server: it is shutting down", "unavailable"};
        finish(*job, JobStatus::Failed);
      }
      lane.waiting.clear();
    }
    changed_.notify_all();
  }
  if (worker_.joinable()) worker_.join();
}

template <class Change>
void JobQueue::change(Job& job, const Change& change) {
  const std::lock_guard lock(mutex_);
  change(job.state);
  ++job.state.version;
  changed_.notify_all();
}

void JobQueue::finish(Job& job, JobStatus status) {
  job.state.status = status;
  job.work = nullptr;  // and with it the input
  if (status != JobStatus::Done) job.state.result.reset();
  ++(status == JobStatus::Done     ? counts_.done
     : status == JobStatus::Failed ? counts_.failed
                                   : counts_.cancelled);
  job.bytes = job_bytes + (job.state.result ? job.state.result->bytes() : 0);
  counts_.stored_bytes += job.bytes;
  stored_.push_back(job.state.id);
  ++job.state.version;
  keep_within_bytes();
  changed_.notify_all();
}

// The newest stays, whatever its size: somebody is about to ask for it.
void JobQueue::keep_within_bytes() {
  while (counts_.stored_bytes > limits_.store_bytes && stored_.size() > 1) {
    const auto oldest = jobs_.find(stored_.front());
    counts_.stored_bytes -= oldest->second->bytes;
    jobs_.erase(oldest);
    stored_.pop_front();
  }
}

// Nobody loses time while he does not ask: a queue that was empty begins where the other is.
void JobQueue::begin_fairly(Lane& lane, JobKind kind) {
  if (!lane.waiting.empty() || running_ == kind) return;
  const Lane& other = lane_of(kind == JobKind::Short ? JobKind::Long : JobKind::Short);
  if (running_ || !other.waiting.empty())
    lane.seconds = std::max(lane.seconds, other.seconds);
  else
    for (Lane& each : lanes_) each.seconds = 0;
}

std::shared_ptr<JobQueue::Job> JobQueue::next() {
  Lane &quick = lane_of(JobKind::Short), &slow = lane_of(JobKind::Long);
  const bool is_short = !quick.waiting.empty() && (slow.waiting.empty() || quick.seconds <= slow.seconds);
  Lane& lane = is_short ? quick : slow;
  if (lane.waiting.empty()) return nullptr;
  std::shared_ptr<Job> job = lane.waiting.front();
  lane.waiting.pop_front();
  return job;
}

void JobQueue::work_on() {
  for (;;) {
    std::shared_ptr<Job> job;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return (job = next()) != nullptr || stopping_; });
      if (!job) return;
      job->begin = std::chrono::steady_clock::now();
      job->state.status = JobStatus::Running;
      ++job->state.version;
      counts_.running = 1;
      running_ = job->kind;
      changed_.notify_all();
    }
    run(job);
  }
}

void JobQueue::run(const std::shared_ptr<Job>& job) {
  JobStatus status = JobStatus::Done;
  std::shared_ptr<const JobResult> result;
  Failure failure;
  try {
    Teller teller(*this, *job);
    result = job->work(job->state.id, teller);
  } catch (const JobCancelled&) {
    status = JobStatus::Cancelled;
  } catch (...) {
    status = JobStatus::Failed;
    failure = failure_of(std::current_exception());
  }
  const std::lock_guard lock(mutex_);
  counts_.running = 0;
  running_.reset();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - job->begin).count();
  counts_.seconds += seconds;
  lane_of(job->kind).seconds += seconds;
  job->state.result = std::move(result);
  job->state.failure = std::move(failure);
  finish(*job, status);
}

}  // namespace headwater
