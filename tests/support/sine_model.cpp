#include "support/sine_model.h"

#include <cmath>

#include "blocks/transformer.h"

namespace headwater::testing {
namespace {

constexpr Index D = 4, F = 6, T = 3;

Tensor sines(Shape shape, double s, double scale, double off = 0) {
  std::vector<double> values;
  for (Index k = 0; k < shape.elements(); ++k)
    values.push_back(off + scale * std::sin(s + 1.7 * static_cast<double>(k)));
  return Tensor::of(std::move(shape), values);
}

// The example writes y = x W with W [in, out]; a Linear holds W [out, in].
LinearWeights linear_of(Index in, Index out, double s, double scale) {
  const Tensor w = sines({in, out}, s, scale);
  std::vector<double> turned;
  for (Index o = 0; o < out; ++o)
    for (Index i = 0; i < in; ++i) turned.push_back(w.at(i * out + o));
  return {.weight = std::make_shared<Matrix>(Tensor::of({out, in}, turned)),
          .bias = sines({out}, s + .1, .1)};
}

NormWeights norm_of(double s, double eps) {
  return {.gamma = sines({D}, s, .1, 1), .beta = sines({D}, s + .1, .05), .eps = eps};
}

}  // namespace

SineModel::SineModel(bool pre_norm) {
  info_.family = info_.model_type = "sine";
  info_.architecture = "SineModel";
  info_.last().layers = 2;
  info_.last().heads = info_.last().groups = 2;
  info_.last().head_width = 2;
  info_.last().width = D;
  info_.last().feed_forward = F;
  info_.plain_blocks = true;
  info_.vocabulary = 8;
  info_.positions = T;
  info_.last().causal = info_.pre_norm = pre_norm;
  info_.dtype = DType::Float64;
  heads_ = {.heads = 2, .groups = 2, .scale = 1 / std::sqrt(2.0), .causal = pre_norm};
  const double eps = pre_norm ? 1e-5 : 1e-12;
  for (const double b : {10.0, 20.0})
    blocks_.push_back({.attention = AttentionWeights{.q = linear_of(D, D, b + 1, 2),
                                                     .k = linear_of(D, D, b + 2, 2),
                                                     .v = linear_of(D, D, b + 3, .5),
                                                     .out = linear_of(D, D, b + 4, .5)},
                       .attention_norm = norm_of(b + 5, eps),
                       .mlp = MlpWeights{.gate = {},
                                         .up = linear_of(D, F, b + 6, .5),
                                         .down = linear_of(F, D, b + 7, .5),
                                         .f = pre_norm ? Activation::GeluTanh : Activation::Gelu},
                       .mlp_norm = norm_of(b + 8, eps)});
}

Batch SineModel::batch() const {
  return {.ids = {{4, 5, 6}}};
}

Var SineModel::blocks(Var x) const {
  const auto block = info_.pre_norm ? pre_norm_block : post_norm_block;
  for (int l = 0; l < 2; ++l)
    x = block(x, blocks_[static_cast<std::size_t>(l)], {.layout = heads_}, {.layer = l});
  return x;
}

Var SineModel::forward(Tape& tape, const Batch&) const {
  return scale(blocks(tape.leaf(sines({1, T, D}, 1, 1), Site::ResidPre)), 1, Site::Logits);
}

}  // namespace headwater::testing
