// Partial LRP (Voita et al., 2019), as Chefer, Gur & Wolf (CVPR 2021) compare with: relevance under the rules
// of their LRP baseline at the pattern of the last block alone,  mean_h max(0, R_{L−1}),  the row the head
// reads.
#include "explain/ledger.h"
#include "explain/relevance_walk.h"
#include "explain/weighted_patterns.h"
#include "methods/method.h"
#include "study/map_checks.h"

namespace headwater {

namespace {

// The published rules divide by sums moved by 1e-9, in values as in copies.
constexpr double guarded = 1e-6;

Attribution run(const Study& study, const MethodOptions&) {
  Attribution result;
  const int last = study.info().last().layers - 1;
  const RelevanceWalk walk{.rules = relevance_rules(Rules::Relevance::Lrp, true, study.info()),
                           .dtype = DType::Float64,
                           .wanted = {{Site::Pattern, last}}};
  Ledger ledger(walk.rules, study.info().last().layers);
  const Signals relevance = walk_relevance(study, walk, &ledger);
  const std::vector<Index> rows = study.rows_read();
  put_row(result, study, mean_row(positive_mean(relevance.at(Site::Pattern, last)), rows, study.size()), rows,
          OwnColumn::Zero);
  result.checks.push_back(ledger.check_blocks(last, guarded));
  ledger.report(result, last);
  result.notes.push_back(maximum_note(result.scores()));
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions&) {
  return relevance_walk_bytes(info, tokens, relevance_rules(Rules::Relevance::Lrp, true, info),
                              DType::Float64);
}

}  // namespace

extern const Method partial_lrp{
    .name = "partial_lrp",
    .summary = "Relevance of the last block's attention for the output, averaged over heads.",
    .title = "Partial LRP",
    .formula = "meanₕ max(0, R[L−1]);  the row the head reads",
    .paper =
        "Voita et al., 2019: Analyzing Multi-Head Self-Attention. ACL; rules as in Chefer, Gur and Wolf, "
        "2021. CVPR",
    .cost = "One forward run and a relevance pass through the task head and the last block.",
    .limits =
        "It sees only the last block and takes everything before it as given. It does not conserve "
        "relevance.",
    .claims = {.nonnegative = true},
    .needs_target = true,
    .aliases = {"plrp"},
    .instead = "attn_lrp",
    .compute = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
