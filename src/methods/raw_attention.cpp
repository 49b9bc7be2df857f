// The last block's attention, mean over heads, in the row of the token the head reads: the simplest baseline.
//   m_j = mean_h A_{L−1}[h, r, j]
#include "attribution/rows.h"
#include "methods/method.h"
#include "mixing/rollout.h"
#include "study/maps.h"

namespace headwater {

namespace {

Attribution run(const Study& study, const MethodOptions& options) {
  Attribution result{.method = "raw_attention", .options = options.all()};
  const std::vector<Index> rows = rows_read(study);
  const std::vector<double> map =
      fuse_heads(study.run().at(Site::Pattern, study.info().layers - 1), Fusion::Mean);
  put_row(result, study, mean_row(map, rows, study.tokens()), rows, OwnColumn::Zero);
  result.checks.push_back(check_nonnegative(result.scores));
  result.notes.push_back(maximum_note(result.scores));
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions&) {
  const auto T = static_cast<std::size_t>(tokens);
  return (T * T + 4 * T * static_cast<std::size_t>(info.width)) * bytes_of(DType::Float64);
}

}  // namespace

extern const Method raw_attention;
const Method raw_attention{
    .name = "raw_attention",
    .summary = "The last block's attention of the token the head reads, mean over heads.",
    .formula = "meanₕ A[L−1,h];  the row the head reads",
    .paper =
        "Vaswani et al., 2017: Attention Is All You Need. NeurIPS; as a baseline in Chefer, Gur and Wolf, "
        "2021. "
        "CVPR",
    .cost = "One forward run, and a pull through the head to see which row it reads.",
    .limits =
        "The same for every label: it knows the row, not the target. The last block only; the token read "
        "itself is left out.",
    .options = {},
    .claims = {.nonnegative = true},
    .run = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
