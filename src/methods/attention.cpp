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

Attribution run(const Study& study, const MethodOptions& options) {
  const std::string& heads = options.text("heads");
  const std::vector<AttentionKind> kinds = attentions_of(study.info());
  const HeadAxis axis = heads == "all" ? HeadAxis::Each : HeadAxis::None;
  Attribution result{.maps = maps_of(study, kinds, axis)};
  for_layers(study, kinds, result, [&](std::size_t k, int layer) {
    const Tensor pattern = study.at(kinds[k].pattern(layer));
    Tensor& values = result.maps[k].values;
    if (axis == HeadAxis::None) return put_layer(values, layer, fuse_heads(pattern, fusion_of(heads)));
    dispatch(values.dtype(), [&]<class R>(R) {
      std::copy_n(pattern.data<R>(), pattern.size(), values.data<R>() + layer * pattern.size());
    });
  });
  if (heads != "max") promise_row_sums(result, worst_of(result.maps, check_row_sums));
  result.checks.push_back(worst_of(result.maps, check_nonnegative));
  result.notes.push_back(maximum_note(result.maps));
  if (heads == "max") result.notes.emplace_back("Rows of a maximum over heads need not sum to 1.");
  forbid_future(result, kinds);
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions&) {
  const auto T = as_size(tokens);
  const auto maps = as_size(info.last().layers) * (as_size(info.last().heads) + 1);
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
        "It shows where a head looks, not what it carries away: a large weight on a small value vector moves "
        "little. It leaves out the residual path, the feed-forward layers and the target.",
    .options = {{"heads", "all|mean|max", "all",
                 "one map per head, or their mean or maximum over the heads"}},
    .claims = {.rows_sum_to_one = true, .nonnegative = true, .causal = true},
    .mixing = Mixing::Partial,
    .sites = {Site::Pattern},
    .aliases = {"attn", "attention_weights"},
    .role = Role::FirstLook,
    .compute = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
