#include "explain/mixing_steps.h"

#include <algorithm>
#include <numeric>
#include <span>

#include <fmt/format.h>
#include <headwater/error.h>

#include "explain/rollout.h"
#include "study/map_checks.h"

namespace headwater {

std::vector<MixingStep> mixing_steps(const ModelInfo& info) {
  const std::vector<AttentionKind> kinds = attentions_of(info);
  std::vector<MixingStep> steps;
  for (const AttentionKind& own : kinds) {
    if (own.is_cross()) continue;
    for (int l = 0; l < own.layers; ++l)
      for (const AttentionKind& kind : kinds)  // self-attention comes first
        if (kind.stack == own.stack) steps.push_back({kind, l});
  }
  return steps;
}

JointMixing::JointMixing(const ModelInfo& info, const std::vector<Sequence>& sequences)
    : stacks_(info.stacks), sequences_(sequences), steps_(mixing_steps(info)) {
  const Index T = sequences.back().first + sequences.back().count;
  values_ = Tensor::zeros({static_cast<Index>(steps_.size()), T, T}, DType::Float64);
  for (std::size_t k = 0; k < steps_.size(); ++k)
    for (Index t = 0; t < T; ++t) values_.data<double>()[(static_cast<Index>(k) * T + t) * T + t] = 1;
}

void JointMixing::put(std::size_t k, const std::vector<double>& map, const std::vector<double>& residual) {
  const AttentionKind& kind = steps_[k].kind;
  const Sequence &rows = sequences_[as_size(kind.queries)], &columns = sequences_[as_size(kind.keys)];
  const Index T = units();
  double* joint = values_.data<double>() + static_cast<Index>(k) * T * T;
  for (Index i = 0; i < rows.count; ++i) {
    double* row = joint + (rows.first + i) * T;
    row[rows.first + i] = residual.empty() ? 0 : residual[as_size(i)];
    std::copy_n(map.data() + i * columns.count, columns.count, row + columns.first);
  }
}

std::vector<Map> JointMixing::by_layer(DType dtype) const {
  const std::vector<Sequence>& all = sequences_;
  if (all.size() == 1) {
    Map map = map_of(steps_.front().kind, HeadAxis::None, values_.to(dtype));
    if (steps_.front().kind.causal) forbid_future(map.values);
    return {map};
  }
  std::vector<Map> maps;
  const Index T = units();
  for (std::size_t s = 0; s < all.size(); ++s) {
    const Stack& stack = stacks_[s];
    for (std::size_t read = 0; read <= s; ++read) {
      if (read != s && stack.reads != static_cast<int>(read)) continue;
      const Sequence &rows = all[s], &columns = all[read];
      std::vector<double> values;
      for (std::size_t k = 0; k < steps_.size(); ++k) {
        const bool last_of_layer = k + 1 == steps_.size() || steps_[k + 1].layer != steps_[k].layer ||
                                   steps_[k + 1].kind.stack != steps_[k].kind.stack;
        if (steps_[k].kind.stack != static_cast<int>(s) || !last_of_layer) continue;
        for (Index i = 0; i < rows.count; ++i) {
          const double* row =
              values_.data<double>() + (static_cast<Index>(k) * T + rows.first + i) * T + columns.first;
          values.insert(values.end(), row, row + columns.count);
        }
      }
      Map map{.name = stack.reads < 0 ? stack.name : fmt::format("{}_to_{}", stack.name, columns.name),
              .axes = {Axis::Layer, {Axis::Query, static_cast<int>(s)}, {Axis::Key, static_cast<int>(read)}},
              .values = Tensor::of({stack.layers, rows.count, columns.count}, values, dtype)};
      if (stack.causal && read == s) forbid_future(map.values);
      maps.push_back(std::move(map));
    }
  }
  return maps;
}

Index mix_with_residual(std::vector<double>& map, Index keys, double residual, const AttentionKind& kind,
                        std::vector<double>& path) {
  path.clear();
  if (!kind.is_cross()) return mix_with_identity(map, keys, residual);
  Index empty = -1;
  for (auto row = map.begin(); row != map.end(); row += keys) {
    const double sum = (1 - residual) * std::accumulate(row, row + keys, 0.0) + residual;
    if (!(sum > 0) && empty < 0) empty = static_cast<Index>(path.size());
    for (auto v = row; v != row + keys; ++v) *v = sum > 0 ? *v * (1 - residual) / sum : 0;
    path.push_back(sum > 0 ? residual / sum : 0);
  }
  return empty;
}

JointMixing fused_mixing(const Study& study, const FusedMixing& wanted) {
  JointMixing joint(study);
  for (std::size_t k = 0; k < joint.steps().size(); ++k) {
    const auto& [kind, layer] = joint.steps()[k];
    if (layer < wanted.start_layer) continue;
    std::vector<double> mixing = fuse_heads(study.at(kind.pattern(layer)), fusion_of(wanted.fusion)), path;
    const Index keys = joint.keys(kind);
    if (wanted.discard_ratio > 0) discard_smallest(mixing, keys, wanted.discard_ratio, kind.causal);
    if (const Index row = mix_with_residual(mixing, keys, wanted.residual, kind, path); row >= 0)
      throw InputError(
          fmt::format("{}: expected a weight in every row, found none in layer {} row {}; use {}",
                      wanted.method, layer, row, wanted.remedy));
    joint.put(k, mixing, path);
  }
  return joint;
}

Check worst_of(const std::vector<Map>& maps, Check (*check)(const Tensor&)) {
  Check worst = check(maps.front().values);
  for (const Map& map : std::span(maps).subspan(1))
    if (const Check one = check(map.values); is_worse(one, worst)) worst = one;
  return worst;
}

}  // namespace headwater
