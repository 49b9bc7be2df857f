// Requests of a stream in three steps: each request is opened; the forward runs of inputs of equal length are
// made as one batch, because a product of many rows reads its weights once; each request is finished from its
// part of the run. Every step works on several requests side by side: as many as fit into memory by their
// plans, or one if memory is bounded or the float64 run is added. A report depends only on its own request.
#include <algorithm>
#include <exception>
#include <optional>
#include <thread>

#include <headwater/engine.h>

#include "base/side_by_side.h"
#include "blocks/batch.h"
#include "engine/impl.h"

namespace headwater {

namespace {

// Enough rows for efficient products; more would only delay the first report.
constexpr std::size_t run_tokens = 512;

bool is_alone(const Request& one) {
  return one.max_memory > 0 || one.verify || one.partial || one.layers || one.overlap;
}

std::size_t how_many_together(const Engine& engine, std::span<const Request> requests) {
  if (std::any_of(requests.begin(), requests.end(), is_alone)) return 1;
  std::size_t together = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    try {
      together += engine.planned_bytes(requests[i]);
    } catch (const Error&) {  // it will fail again and report why
    }
    if (together > bytes_side_by_side) return std::max<std::size_t>(i, 1);
  }
  return requests.size();
}

// A request in progress; nothing if it failed.
struct Underway {
  std::optional<Opened> opened;
  std::exception_ptr error;
};

// Calls f for each, side by side; each keeps its own error.
void for_each_of(std::vector<Underway>& all, const auto& work) {
  side_by_side(static_cast<std::int64_t>(all.size()), [&](std::int64_t n) {
    const auto i = static_cast<std::size_t>(n);
    if (all[i].error) return;
    try {
      work(i, all[i]);
    } catch (const Error&) {
      all[i].error = std::current_exception();
    }
  });
}

// Those of equal length that keep the same sites.
void run_in_batches(std::vector<Underway>& all) {
  std::vector<Study*> studies;
  std::vector<double*> seconds;
  std::vector<Batch> inputs;
  for (Underway& one : all) {
    if (one.error) continue;
    Study& study = one.opened->study;
    if (!studies.empty() && !Study::run_alike(*studies.front(), study)) continue;  // runs by itself
    studies.push_back(&study);
    seconds.push_back(&one.opened->seconds);
    inputs.push_back(study.batch());
  }
  if (!studies.empty() && !Study::run_alike(*studies.front(), *studies.front())) return;
  const std::vector<Group> groups = group_inputs(inputs, run_tokens);
  side_by_side(static_cast<std::int64_t>(groups.size()), [&](std::int64_t n) {
    const Group& group = groups[static_cast<std::size_t>(n)];
    if (group.members.size() == 1) return;
    const auto start = std::chrono::steady_clock::now();
    std::vector<Study*> members;
    for (const std::size_t member : group.members) members.push_back(studies[member]);
    try {
      Study::run_together(members, group.batch);
    } catch (const Error&) {  // from one of them, which reports it when it runs by itself
      return;
    }
    const double share = seconds_since(start) / static_cast<double>(members.size());
    for (const std::size_t member : group.members) *seconds[member] += share;
  });
}

}  // namespace

std::vector<Report> Engine::explain_some(std::span<const Request> requests) const {
  if (requests.empty()) return {};
  const auto some = requests.first(how_many_together(*this, requests));
  std::vector<Report> reports;
  if (some.size() == 1) {
    reports.push_back(explain(some.front()));
    return reports;
  }
  std::vector<Underway> all(some.size());
  for_each_of(all, [&](std::size_t i, Underway& one) {
    one.opened.emplace(impl_->open(impl_->loaded, some[i], nullptr));
  });
  run_in_batches(all);
  std::vector<std::optional<Report>> made(some.size());
  const auto caller = std::this_thread::get_id();
  for_each_of(all, [&](std::size_t i, Underway& one) {
    const auto start = std::chrono::steady_clock::now();
    Request request = some[i];
    if (std::this_thread::get_id() != caller) request.progress = {};
    made[i] = impl_->finish(impl_->loaded, request, nullptr, *one.opened);
    impl_->complete(*made[i], some[i], one.opened->seconds + seconds_since(start));
    one.opened.reset();
  });
  if (all.front().error) std::rethrow_exception(all.front().error);
  for (std::size_t i = 0; i < made.size() && made[i]; ++i) reports.push_back(std::move(*made[i]));
  return reports;
}

}  // namespace headwater
