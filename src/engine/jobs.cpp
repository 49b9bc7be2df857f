// The memory plan. With R the kept sites of one layer, P the peak of a run that keeps nothing, and Q the
// memory of the methods and their results,
//
//   total = P + (layers in a window) · R + Q + scratch
//
// plus an eighth, by which the buffer pool may round sizes up, and plus what does not grow with the model:
// notes and checks as text, the nodes of a tape, lists of products. tests/laws/memory_law_test.cpp compares
// the plan with measurements.
//
// A bound first reduces the scratch, then the window, down to one layer. A method that walks the tape needs
// every value of the run, so no window helps.
#include "engine/jobs.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <headwater/error.h>

#include "explain/aggregate.h"
#include "study/memory.h"

namespace headwater {

std::vector<Job> jobs_of(const Request& request, const ModelInfo& info) {
  std::vector<Job> jobs;
  for (const MethodSpec& spec : request.methods) {
    const Method& method = find_method(spec.name);
    Job job{&method, MethodOptions(method.name, method.options, spec.options), spec.aggregate};
    require_supported(method, info);
    check_aggregate(job.aggregate, method.name, method.mixing != Mixing::None);
    jobs.push_back(std::move(job));
  }
  return jobs;
}

namespace {

constexpr std::size_t constant_bytes = 32 << 10, nodes_of_a_block = 6 << 10;

// The union of the sites that the methods read; empty if one of them walks the tape.
std::vector<Site> sites_of(const std::vector<Job>& jobs) {
  std::vector<Site> sites{Site::ResidPost};  // never empty: a prediction keeps next to nothing
  for (const Job& job : jobs) {
    if (job.method->sites.empty()) return {};
    for (const Site site : job.method->sites)
      if (std::find(sites.begin(), sites.end(), site) == sites.end()) sites.push_back(site);
  }
  return sites;
}

}  // namespace

MemoryPlan plan_memory(const std::vector<Job>& jobs, const ModelInfo& info, Index tokens, Index rows,
                       std::size_t max_memory, Index target_rows) {
  MemoryPlan plan{.sites = info.plain_blocks ? sites_of(jobs) : std::vector<Site>{}};
  std::size_t least = 0, per_layer = 0;
  for (const Job& job : jobs) {
    least += job.method->planned_bytes(info, tokens, job.options) +
             more_rows_bytes(info, std::max(rows, target_rows));
    if (!job.aggregate.empty()) least += aggregate_bytes(info.last().layers, tokens, job.aggregate);
  }
  for (const Site site : plan.sites) per_layer += site_bytes(info, tokens, site);
  const auto layers = static_cast<std::size_t>(info.last().layers);
  const bool everything = plan.sites.empty();
  std::size_t kept = everything ? 0 : layers * per_layer;
  least += everything ? planned_run_bytes(info, tokens, rows) : passing_bytes(info, tokens, rows) + per_layer;
  least += prediction_bytes(info, rows);
  if (!info.plain_blocks) least += walk_bytes(info, tokens, 1, info.dtype) + passing_bytes(info, tokens, 1);
  least += least / 8 + constant_bytes + layers * nodes_of_a_block;
  for (const Job& job : jobs)
    if (const Method& m = *job.method; m.tiles)
      plan.scratch =
          std::max(plan.scratch, m.most_scratch == nullptr
                                     ? default_scratch
                                     : std::min(default_scratch, m.most_scratch(info, tokens, job.options)));
  plan.least = least;
  if (max_memory > 0) {
    if (least > max_memory)
      throw InputError(fmt::format(
          "max-memory: expected at least {:.1f} MiB for {} tokens, found {:.1f} MiB; shorten the text "
          "or allow more",
          // Rounded up: the bound that a message suggests must suffice.
          std::ceil(static_cast<double>(least) / 0x1p20 * 10) / 10, tokens,
          static_cast<double>(max_memory) / 0x1p20));
    const std::size_t left = max_memory - least;
    kept = everything ? 0 : std::min(kept, left + per_layer);
    plan.window = kept;
    plan.scratch = std::min(plan.scratch, left + per_layer - kept);
  }
  plan.total = least - (everything ? 0 : per_layer) + kept + plan.scratch;
  return plan;
}

namespace {

// Units that a causal mask hides from the rows that are read were not measured, whatever their scores
// contain.
void leave_out_hidden(Attribution& result, const Study& study) {
  if (!study.info().last().causal || result.axes() != Axes{Axis::Units}) return;
  const std::vector<Index> rows = study.rows_read();
  const Index last = *std::max_element(rows.begin(), rows.end());
  const auto T = static_cast<std::size_t>(result.scores().size());
  const Index end = study.first_written() + last + 1;  // the end of what is read
  if (last < 0 || static_cast<std::size_t>(end) >= T) return;
  if (result.measured.empty()) result.measured.assign(T, true);
  std::fill(result.measured.begin() + end, result.measured.end(), false);
}

}  // namespace

Attribution run_job(const Job& job, const Study& study) {
  Attribution result = job.method->run(study, job.options);
  leave_out_hidden(result, study);
  if (job.aggregate.empty()) return result;
  const Blend blend = job.method->mixing == Mixing::Partial ? Blend::HalfIdentity
                      : job.method->mixing == Mixing::Raw   ? Blend::AsIs
                                                            : Blend::RowSums;
  return aggregate(std::move(result), job.aggregate, blend, JointMixing(study),
                   [&](double done) { study.progress(done); });
}

}  // namespace headwater
