// Mixing over all units of an input, so that maps of single attentions can be combined through a model with
// any number of stacks. Every attention of every layer is a step:
//
//   rows of the queries      what is read of the keys, and the residual path at themselves
//   rows of all other units  themselves
//
// A model with one stack has one step per layer, which is the T × T map itself. An encoder–decoder has one
// step per encoder layer and two per decoder layer, over source and prefix together (ALTI+, Ferrando et al.,
// 2022b).
#pragma once

#include <vector>

#include "study/attentions.h"
#include "study/study.h"

namespace headwater {

struct MixingStep {
  AttentionKind kind;
  int layer;
};

// In the order they run.
std::vector<MixingStep> mixing_steps(const ModelInfo& info);

class JointMixing {
 public:
  // Every step starts as the identity.
  JointMixing(const ModelInfo& info, const std::vector<Sequence>& sequences);
  explicit JointMixing(const Study& study) : JointMixing(study.info(), study.sequences()) {}

  const std::vector<MixingStep>& steps() const { return steps_; }
  // Sets step k from `map` [queries, keys] and, for cross-attention, the residual path's share of each row.
  void put(std::size_t k, const std::vector<double>& map, const std::vector<double>& residual = {});

  Tensor& values() { return values_; }  // [steps, T, T] in double, T units of all sequences
  // The layers of each stack in `values` after the steps were combined: one map per stack and sequence that
  // it can have read, named "" for a model with one stack, otherwise "encoder", "decoder_to_source" and
  // "decoder_to_prefix". Units after a causal query are NaN.
  std::vector<Map> by_layer(DType dtype) const;

  Index units() const { return values_.dim(1); }
  Index keys(const AttentionKind& kind) const { return sequences_[as_size(kind.keys)].count; }
  // True for a single causal stack, in which no unit reads a later one.
  bool causal() const { return stacks_.size() == 1 && stacks_.back().causal; }

 private:
  std::vector<Stack> stacks_;
  std::vector<Sequence> sequences_;
  std::vector<MixingStep> steps_;
  Tensor values_;
};

// Mixes (1 − residual) of the map with `residual` of the row's own path and divides rows by their sum. Where
// queries are keys this happens in the map; otherwise `path` [queries] gets the residual share. Returns the
// first row without any weight, or −1.
Index mix_with_residual(std::vector<double>& map, Index keys, double residual, const AttentionKind& kind,
                        std::vector<double>& path);

// The patterns of every step for rollout and flow: heads fused, the smallest weights dropped (rollout.h),
// mixed with the residual path, and the identity below the first layer. Throws InputError for a row that is
// left without any weight.
struct FusedMixing {
  std::string_view method, remedy;  // for the error
  std::string_view fusion;          // a name that fusion_of knows
  double residual;
  double discard_ratio = 0;
  int start_layer = 0;
};
JointMixing fused_mixing(const Study& study, const FusedMixing& wanted);

// The claims for all maps: the worst check of any map.
Check worst_of(const std::vector<Map>& maps, Check (*check)(const Tensor&));

}  // namespace headwater
