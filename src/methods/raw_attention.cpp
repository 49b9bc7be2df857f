// The last block's attention, mean over heads, in the row of the token the head reads: the simplest baseline.
//   m_j = mean_h A_{L−1}[h, r, j]
#include <cmath>
#include <numeric>

#include "explain/rollout.h"
#include "explain/weighted_patterns.h"
#include "methods/method.h"
#include "study/map_checks.h"

namespace headwater {

namespace {

Attribution run(const Study& study, const MethodOptions&) {
  Attribution result;
  const std::vector<Index> rows = study.rows_read();
  const std::vector<double> map =
      fuse_heads(study.run().at(Site::Pattern, study.info().last().layers - 1), Fusion::Mean);
  const std::vector<double> row = mean_row(map, rows, study.size());
  put_row(result, study, row, rows, OwnColumn::Zero);
  const double sum = std::accumulate(row.begin(), row.end(), 0.0);  // the token that reads included
  result.checks.push_back(
      check_within("the row sums to 1", std::abs(sum - 1), row_sum_bound(study.info().dtype)));
  result.notes.push_back(maximum_note(result.scores()));
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions&) {
  const auto T = as_size(tokens);
  return 2 * T * T * sizeof(double) + pattern_gradient_bytes(info, tokens);
}

}  // namespace

extern const Method raw_attention{
    .name = "raw_attention",
    .summary = "The last block's attention from the token that the task head reads, averaged over heads.",
    .formula = "meanₕ A[L−1,h];  the row the head reads",
    .paper =
        "Vaswani et al., 2017: Attention Is All You Need. NeurIPS; as a baseline in Chefer, Gur and Wolf, "
        "2021. CVPR",
    .cost = "One forward run, and a pull through the task head to see which row it reads.",
    .limits =
        "It is the same for every label: it depends on the row, not on the target. It uses only the last "
        "block and leaves out the row's own token.",
    .claims = {.nonnegative = true},
    .instead = "attention or generic_attention",
    .compute = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
