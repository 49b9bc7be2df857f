// F and its gradient at the output of an attention's mix when the attention of one layer is scaled, for many
// layers and scales at once.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "explain/mixing_steps.h"
#include "explain/objective.h"
#include "numerics/path_integral.h"
#include "study/study.h"

namespace headwater {

// One attention is scaled to `share`. Earlier ones keep their values, and later ones follow. `layer` counts
// the attentions of all stacks in the order they run (explain/mixing_steps.h); with one stack it is the
// layer.
struct ScaledAttention {
  int layer;
  double share;
};

class AttentionSlopes {
 public:
  AttentionSlopes(const Study& study, const Objective& objective);

  // ∂F/∂z [1, T, H·E] and its component along the attention. The points are ordered by layer, the lowest
  // first. As many run together as fit into the study's scratch, and the bits of one do not depend on the
  // others. `advance` receives the finished share and may throw to stop.
  std::vector<Slope> at(std::span<const ScaledAttention> points, const std::function<void(double)>& advance);
  std::vector<double> values(std::span<const ScaledAttention> points);  // F alone
  // With the full attention, one run and one pull serve every layer: whole_gradients gives the gradients, and
  // whole a layer's slope from its gradient.
  std::vector<Tensor> whole_gradients();
  Slope whole(int layer, Tensor gradient) const;

  // The factor by which the attention lengthens the vector it is added to, as a mean over tokens.
  double growth(int layer) const;
  // The number of layers from `first` on, at least one, that run together with this many points each.
  int layers_together(int first, std::size_t points) const;

  double flop() const { return flop_; }  // of all products so far

  // The largest number of slopes and of path pieces that a layer holds while its nodes are added.
  static constexpr std::size_t kept_slopes = 16, most_pieces = 72;

 private:
  Place mix_of(int layer) const;
  Replayed replay(std::span<const ScaledAttention> points, Tape& onto) const;
  std::size_t bytes_of_point(int layer) const;
  std::size_t fitting(std::span<const ScaledAttention> points) const;
  Tensor all_rows(const Tensor& gradient, const Rows& rows, int layer) const;
  double cost_of(int layer) const;  // cost of a point, forward and back

  const Study& study_;
  const Objective& objective_;
  std::vector<MixingStep> steps_;
  std::vector<int> positions_;  // rows of the task head from which F is computed
  Rows read_;                   // rows of the last block that the task head reads
  bool gated_;                  // the feed-forward layers have three products instead of two
  double flop_ = 0;
};

}  // namespace headwater
