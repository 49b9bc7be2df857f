#include "engine/generated.h"

#include <limits>

#include "result/rows.h"
#include "study/target.h"
#include "study/token_target.h"

namespace headwater {

namespace {

bool scores_units(const Job& job, const Attribution& result) {
  return job.method->needs_target && result.maps.size() == 1 && !result.scores().empty() &&
         result.axes() == Axes{Axis::Units};
}

// The scores of the units that were measured and precede the token.
std::vector<double> row_before(const Attribution& result, Index before) {
  std::vector<double> scores = result.scores().to_doubles();
  for (std::size_t t = 0; t < scores.size(); ++t)
    if (static_cast<Index>(t) >= before || (!result.measured.empty() && !result.measured[t]))
      scores[t] = std::numeric_limits<double>::quiet_NaN();
  return scores;
}

}  // namespace

std::vector<int> rows_of_generated(const Prepared& prepared, int count) {
  std::vector<int> rows;
  const int end = static_cast<int>(prepared.encoding.tokens.size());
  for (int row = end - 1 - count; row < end; ++row) rows.push_back(row);
  return rows;
}

void add_generated(Report& report, const std::vector<Job>& jobs, Study& study, const LoadedModel& loaded,
                   const Prepared& prepared, const Row& row, int count) {
  const std::vector<int> rows = rows_of_generated(prepared, count);
  const auto units = static_cast<Index>(report.prediction.units.size());
  for (std::size_t m = 0; m < jobs.size(); ++m) {
    Attribution& last = report.attributions[m];
    if (!scores_units(jobs[m], last)) continue;
    std::vector<double> values;
    for (int i = 0; i < count; ++i) {
      const int position = rows[static_cast<std::size_t>(i)];
      const int id = prepared.encoding.tokens[static_cast<std::size_t>(position) + 1].id;
      const TargetSpec spec{.label = written_ids(std::vector<int>{id}), .contrast = {}, .position = position};
      study.aim(resolve_target(loaded, spec, report.prediction, prepared.encoding, row));
      const std::vector<double> scores =
          row_before(i + 1 < count ? run_job(jobs[m], study) : last, written_from(report) + position + 1);
      values.insert(values.end(), scores.begin(), scores.end());
    }
    last.details.push_back({"generated",
                            {Axis("generated"), Axis::Units},
                            Tensor::of({Index{count}, units}, values, last.scores().dtype())});
  }
  study.aim(report.target);
}

}  // namespace headwater
