// Attention as the model computed it:  α^h_ij = softmax_j(q^h_i · k^h_j / √E), one map per layer and head,
// or their mean or maximum over the heads.
#include <algorithm>

#include "explain/kind_maps.h"
#include "explain/mixing_steps.h"
#include "explain/rollout.h"
#include "methods/method.h"
#include "study/map_checks.h"

namespace headwater {

namespace {

// [1, H, T, S] patterns of all layers → [L, H, T, S].
Tensor stack_patterns(const Study& study, const AttentionKind& kind) {
  const Index L = kind.layers, H = kind.heads, T = study.size(kind.queries), S = study.size(kind.keys);
  Tensor all({L, H, T, S}, study.info().dtype);
  dispatch(all.dtype(), [&]<class R>(R) {
    R* to = all.data<R>();
    for (int layer = 0; layer < L; ++layer) {
      const Tensor pattern = study.at(kind.pattern(layer));
      to = std::copy_n(pattern.data<R>(), H * T * S, to);
    }
  });
  return all;
}

// [L, H, T, S] → [L, T, S].
Tensor fused(const Tensor& all, Fusion fusion) {
  const Index L = all.dim(0), cells = all.dim(2) * all.dim(3);
  Tensor maps({L, all.dim(2), all.dim(3)}, all.dtype());
  dispatch(all.dtype(), [&]<class R>(R) {
    for (Index layer = 0; layer < L; ++layer) {
      const std::vector<double> map = fuse_heads(all.rows(layer, 1), fusion);
      std::transform(map.begin(), map.end(), maps.data<R>() + layer * cells,
                     [](double v) { return static_cast<R>(v); });
    }
  });
  return maps;
}

Attribution run(const Study& study, const MethodOptions& options) {
  const std::string& heads = options.text("heads");
  Attribution result{.method = "attention", .options = options.all(), .maps = {}};
  const std::vector<AttentionKind> kinds = attentions_of(study.info());
  for (const AttentionKind& kind : kinds) {
    const Tensor all = stack_patterns(study, kind);
    result.maps.push_back(heads == "all" ? map_of(kind, HeadAxis::Each, all)
                                         : map_of(kind, HeadAxis::None, fused(all, fusion_of(heads))));
  }
  if (heads != "max") result.checks.push_back(worst_of(result.maps, check_row_sums));
  result.checks.push_back(worst_of(result.maps, check_nonnegative));
  result.notes.push_back(maximum_note(result.maps));
  if (heads == "max") result.notes.emplace_back("Rows of a maximum over heads need not sum to 1.");
  forbid_future(result, kinds);
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions&) {
  const auto T = static_cast<std::size_t>(tokens);
  const auto maps =
      static_cast<std::size_t>(info.last().layers) * (static_cast<std::size_t>(info.last().heads) + 1);
  return maps * T * T * bytes_of(info.dtype);
}

}  // namespace

extern const Method attention{
    .name = "attention",
    .summary = "The attention weights of every layer and head, exactly as the model used them.",
    .question = Question::Mixing,
    .formula = "α[l,h,i,j] = softmaxⱼ(q[l,h,i] · k[l,h,j] / √E)",
    .paper = "Vaswani et al., 2017: Attention Is All You Need. NeurIPS",
    .cost = "One forward run; the maps take layers × heads × tokens² numbers.",
    .limits =
        "Shows where a head looks, not what it carries away: a large weight on a small value vector moves "
        "little. The residual path and the feed-forward layers are not in it, nor is the target.",
    .options = {{"heads", "all|mean|max", "all",
                 "one map per head, or their mean or maximum over the heads"}},
    .claims = {.rows_sum_to_one = true, .nonnegative = true, .causal = true},
    .mixing = Mixing::Partial,
    .sites = {Site::Pattern},
    .run = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
