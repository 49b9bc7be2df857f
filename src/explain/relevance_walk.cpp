// The ops' files contain the forms. This file adds how the public code joins relevance where a value is read
// several times: x · Σ_k R_k / (x + 1e-9), which is Σ_k R_k except for the guard. Its BERT does so for the
// three readers q, k, v of a block's input and then for that sum and the residual path. Its ViT has one fused
// projection, and does only the latter.
#include "explain/relevance_walk.h"

#include <headwater/error.h>

#include "ops/relevance.h"
#include "study/memory.h"

namespace headwater {
namespace {

// x · Σ_k R_k / (x + 1e-9)
Tensor joined_branches(const Tensor& value, const std::vector<Tensor>& branches, const Rules& rules,
                       bool guard) {
  Tensor sum = branches[0].clone();
  dispatch(sum.dtype(), [&]<class R>(R) {
    for (std::size_t k = 1; k < branches.size(); ++k)
      kernels::accumulate(std::as_const(branches[k]).template data<R>(), sum.data<R>(), sum.size());
  });
  return guard ? through_copy(sum, value.to(sum.dtype()), rules) : sum;
}

bool is_projection(Site reader) {
  return reader == Site::Q || reader == Site::K || reader == Site::V;
}

Tensor meet_as_reference(const Meeting& meeting, const Rules& rules, bool fused) {
  std::vector<Tensor> projections, all;
  for (const Meeting::Branch& branch : meeting.branches)
    (is_projection(branch.reader) ? projections : all).push_back(branch.signal);
  if (projections.empty()) return joined_branches(meeting.value, all, rules, true);
  const Tensor together = joined_branches(meeting.value, projections, rules, !fused);
  if (all.empty()) return together;
  all.push_back(together);
  return joined_branches(meeting.value, all, rules, true);
}

}  // namespace

Rules relevance_rules(Rules::Relevance form, bool reference, const ModelInfo& info) {
  return {.relevance = form,
          .guard = reference ? Rules::Guard::Reference : Rules::Guard::Plain,
          .mask_sum = reference && !info.pre_norm};
}

Signals walk_relevance(const Study& study, const RelevanceWalk& walk, Ledger* ledger) {
  if (has_several_tokens(study.target()))
    throw Unsupported(
        "relevance: starts as 1 at one logit (chefer, lrp, partial_lrp), and the target is several tokens, "
        "whose log-probabilities depend on all logits; explain one token (--target '#id'), or use "
        "integrated_gradients, generic_attention or attn_lrp");
  const Run& run = study.run();
  PullHooks hooks;
  if (ledger != nullptr) hooks = ledger->watch();
  if (walk.rules.guard == Rules::Guard::Reference) {
    const bool fused = study.info().pre_norm;
    hooks.meet = [&walk, fused](const Meeting& meeting) {
      return meet_as_reference(meeting, walk.rules, fused);
    };
  }
  return run.tape->pull(run.logits, study.seed(run).to(walk.dtype), walk.rules, walk.wanted, hooks);
}

std::size_t relevance_walk_bytes(const ModelInfo& info, Index tokens, const Rules& rules, DType dtype) {
  // Four products use the parts of W above and below zero, three use |W| alone (ops/linear.cpp: narrow
  // layers, whose matrices are small, use four). In a type other than the run's there are also W itself and a
  // temporary copy.
  const bool four = rules.guard == Rules::Guard::Reference || rules.relevance == Rules::Relevance::Lrp;
  std::size_t matrices = (four ? 2 : 1) * matrix_bytes(info, dtype);
  if (dtype != info.dtype) matrices += matrix_bytes(info, dtype) + matrix_bytes(info, info.dtype);
  // Besides its signal an op holds the parts of its values above and below zero, their sums and ratios.
  return 2 * walk_bytes(info, tokens, 1, dtype) + packing_bytes(info, dtype) + matrices;
}

}  // namespace headwater
