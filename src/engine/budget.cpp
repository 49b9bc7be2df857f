#include "engine/budget.h"

#include <algorithm>
#include <numeric>
namespace headwater {

std::vector<std::size_t> turns_of(const std::vector<Job>& jobs, bool bounded) {
  std::vector<std::size_t> turns(jobs.size());
  std::iota(turns.begin(), turns.end(), std::size_t{0});
  if (bounded)
    std::stable_partition(turns.begin(), turns.end(),
                          [&](std::size_t j) { return !jobs[j].method->refines; });
  return turns;
}

std::chrono::steady_clock::time_point share_of_time(std::chrono::steady_clock::time_point start,
                                                    double budget, std::size_t jobs) {
  using Seconds = std::chrono::duration<double>;
  const auto now = std::chrono::steady_clock::now();
  const double left = std::max(0.0, budget - Seconds(now - start).count()) / static_cast<double>(jobs);
  return now + std::chrono::duration_cast<std::chrono::steady_clock::duration>(Seconds(left));
}

Request with_settled_options(Request request, const Report& report) {
  request.budget = 0;
  std::vector<MethodSpec> run;
  auto result = report.attributions.begin();
  for (MethodSpec& spec : request.methods) {
    const Method& method = find_method(spec.name);
    const bool there = result != report.attributions.end() && result->method == method.name &&
                       result->aggregate == spec.aggregate;
    if (!there && spec.if_affordable) continue;
    spec.if_affordable = false;
    if (there && method.refines) {
      const auto given = MethodOptions(method.name, method.options, spec.options).all();
      for (std::size_t o = 0; o < given.size(); ++o)
        if (result->options[o] != given[o]) spec.options[given[o].first] = result->options[o].second;
    }
    if (there) ++result;
    run.push_back(std::move(spec));
  }
  request.methods = std::move(run);
  return request;
}

}  // namespace headwater
