// F and its gradient at an attention's mix while the attention of one layer is scaled, for many layers and
// scales at once.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "explain/mixing_steps.h"
#include "explain/objective.h"
#include "numerics/path_integral.h"
#include "study/study.h"

namespace headwater {

// An attention is `share` of what it was; those that run before it stay, later ones follow. It is counted
// through all (explain/mixing_steps.h): of a model with one stack it is the layer.
struct ScaledAttention {
  int layer;
  double share;
};

class AttentionSlopes {
 public:
  AttentionSlopes(const Study& study, const Objective& objective);

  // ∂F/∂z [1, T, H·E] and its share along the attention. Points come by layer, the lowest first; as many run
  // together as the study's scratch holds. A point's bits do not depend on the others.
  // `advance` hears the share that is done, and may throw to stop.
  std::vector<Slope> at(std::span<const ScaledAttention> points, const std::function<void(double)>& advance);
  std::vector<double> values(std::span<const ScaledAttention> points);  // F alone
  // With all of the attention one run and one pull serve every layer: the gradients, and a layer's slope from
  // its.
  std::vector<Tensor> whole_gradients();
  Slope whole(int layer, Tensor gradient) const;

  // How much longer the attention makes what it is added to, as a mean over tokens.
  double growth(int layer) const;
  // Layers from `first` on, one at least, that with this many points each run together.
  int layers_together(int first, std::size_t points) const;

  double flop() const { return flop_; }  // of all products so far

  // What a layer holds while its nodes are being added to: slopes, and sums over pieces of its way.
  static constexpr std::size_t kept_slopes = 16, most_pieces = 72;

 private:
  Place mix_of(int layer) const;
  Replayed replay(std::span<const ScaledAttention> points, Tape& onto) const;
  std::size_t bytes_of_point(int layer) const;
  std::size_t fitting(std::span<const ScaledAttention> points) const;
  Tensor all_rows(const Tensor& gradient, const Rows& rows, int layer) const;
  double cost_of(int layer) const;  // of a point, forward and back

  const Study& study_;
  const Objective& objective_;
  std::vector<MixingStep> steps_;
  std::vector<int> positions_;  // of the head's rows that F is computed from
  Rows read_;                   // rows of the last block that it reads
  bool gated_;                  // the feed-forward parts have three products, not two
  double flop_ = 0;
};

}  // namespace headwater
