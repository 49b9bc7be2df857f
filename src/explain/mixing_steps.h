// Mixing over all units of an input together, so that maps of single attentions can be taken through a model
// of any number of stacks. Every attention of every layer is a step:
//
//   rows of the queries      what is read of the keys, and the residual path at themselves
//   rows of all other units  themselves
//
// A model with one stack has a step per layer, the T × T map itself. An encoder–decoder has one per layer of
// the encoder and two per layer of the decoder, over source and prefix together (ALTI+, Ferrando et al.,
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
  // Starts as the identity in every step.
  JointMixing(const ModelInfo& info, const std::vector<Sequence>& sequences);
  explicit JointMixing(const Study& study) : JointMixing(study.info(), study.sequences()) {}

  const std::vector<MixingStep>& steps() const { return steps_; }
  // Step k: `map` [queries, keys], and of cross-attention the residual path's share of each row.
  void put(std::size_t k, const std::vector<double>& map, const std::vector<double>& residual = {});

  Tensor& values() { return values_; }  // [steps, T, T] in double, T units of all sequences
  // What each stack's layers have in `values`, once they were taken through the steps: a map per stack and
  // sequence it can have read: "" of a model with one, "encoder", "decoder_to_source", "decoder_to_prefix".
  // Later units than a causal query are NaN.
  std::vector<Map> by_layer(DType dtype) const;

  Index units() const { return values_.dim(1); }
  Index keys(const AttentionKind& kind) const { return sequences_[as_size(kind.keys)].count; }
  // No unit reads a later one: of a single causal stack.
  bool causal() const { return stacks_.size() == 1 && stacks_.back().causal; }

 private:
  std::vector<Stack> stacks_;
  std::vector<Sequence> sequences_;
  std::vector<MixingStep> steps_;
  Tensor values_;
};

// (1 − residual) map and `residual` on the path of the row itself, rows divided by their sum: in the map
// where queries are keys, otherwise `path` [queries] gets it. Returns the first row without any weight, or
// −1.
Index mix_with_residual(std::vector<double>& map, Index keys, double residual, const AttentionKind& kind,
                        std::vector<double>& path);

// The patterns of every step as they are given to rollout and flow: heads fused, the smallest weights dropped
// (rollout.h), mixed with the residual path; the identity below the first layer. Throws InputError for a row
// that is left without any weight.
struct FusedMixing {
  std::string_view method, remedy;  // for the error
  std::string_view fusion;          // of fusion_of
  double residual;
  double discard_ratio = 0;
  int start_layer = 0;
};
JointMixing fused_mixing(const Study& study, const FusedMixing& wanted);

// Promises of all maps: the worst of any.
Check worst_of(const std::vector<Map>& maps, Check (*check)(const Tensor&));

}  // namespace headwater
