// Requests of a stream, worked on side by side. How many: all that fit into what inputs may take together by
// their plans, and one alone where memory is bounded or the float64 run comes beside it. A report depends on
// its request alone.
#include <algorithm>
#include <exception>
#include <optional>
#include <thread>

#include <headwater/engine.h>

#include "base/parallel.h"
#include "base/side_by_side.h"

namespace headwater {

namespace {

std::size_t how_many_together(const Engine& engine, std::span<const Request> requests) {
  const auto alone = [](const Request& one) { return one.max_memory > 0 || one.verify; };
  if (thread_count() == 1 || std::any_of(requests.begin(), requests.end(), alone)) return 1;
  std::size_t together = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    try {
      together += engine.planned_bytes(requests[i]);
    } catch (const Error&) {  // it will fail, and say why
    }
    if (together > bytes_side_by_side) return std::max<std::size_t>(i, 1);
  }
  return requests.size();
}

}  // namespace

std::vector<Report> Engine::explain_some(std::span<const Request> requests) const {
  if (requests.empty()) return {};
  const auto some = requests.first(how_many_together(*this, requests));
  std::vector<std::optional<Report>> made(some.size());
  std::vector<std::exception_ptr> errors(some.size());
  const auto caller = std::this_thread::get_id();
  side_by_side(static_cast<std::int64_t>(some.size()), [&](std::int64_t n) {
    const auto i = static_cast<std::size_t>(n);
    Request request = some[i];
    if (std::this_thread::get_id() != caller) request.progress = {};
    try {
      made[i] = explain(request);
    } catch (const Error&) {
      errors[i] = std::current_exception();
    }
  });
  if (errors.front()) std::rethrow_exception(errors.front());
  std::vector<Report> reports;
  for (std::size_t i = 0; i < made.size() && made[i]; ++i) reports.push_back(std::move(*made[i]));
  return reports;
}

}  // namespace headwater
