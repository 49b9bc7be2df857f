// Attention as the model computed it:  α^h_ij = softmax_j(q^h_i · k^h_j / √E), one map per layer and head,
// or their mean or maximum over the heads.
#include <algorithm>

#include "explain/rollout.h"
#include "methods/method.h"
#include "study/map_checks.h"

namespace headwater {

namespace {

// [1, H, T, T] patterns of all layers → [L, H, T, T].
Tensor stack_patterns(const Study& study) {
  const Index L = study.info().layers, H = study.info().heads, T = study.size();
  Tensor all({L, H, T, T}, study.info().dtype);
  dispatch(all.dtype(), [&](auto r) {
    using R = decltype(r);
    R* to = all.data<R>();
    for (Index layer = 0; layer < L; ++layer) {
      const Tensor pattern = study.at(Site::Pattern, static_cast<int>(layer));
      to = std::copy_n(pattern.data<R>(), H * T * T, to);
    }
  });
  return all;
}

// [L, H, T, T] → [L, T, T].
Tensor fused(const Tensor& all, Fusion fusion) {
  const Index L = all.dim(0), cells = all.dim(2) * all.dim(3);
  Tensor maps({L, all.dim(2), all.dim(3)}, all.dtype());
  dispatch(all.dtype(), [&](auto r) {
    using R = decltype(r);
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
  Attribution result{.method = "attention", .options = options.all()};
  result.scores() = stack_patterns(study);
  result.axes() = {Axis::Layer, Axis::Head, Axis::Query, Axis::Key};
  if (heads != "all") {
    result.scores() = fused(result.scores(), fusion_of(heads));
    result.axes() = {Axis::Layer, Axis::Query, Axis::Key};
  }
  if (heads != "max") result.checks.push_back(check_row_sums(result.scores()));
  result.checks.push_back(check_nonnegative(result.scores()));
  result.notes.push_back(maximum_note(result.scores()));
  if (heads == "max") result.notes.emplace_back("Rows of a maximum over heads need not sum to 1.");
  if (study.info().causal) {
    result.checks.push_back(check_causal(result.scores()));
    forbid_future(result.scores());
  }
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions&) {
  const auto T = static_cast<std::size_t>(tokens);
  const auto maps = static_cast<std::size_t>(info.layers) * (static_cast<std::size_t>(info.heads) + 1);
  return maps * T * T * bytes_of(info.dtype);
}

}  // namespace

extern const Method attention;
const Method attention{
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
