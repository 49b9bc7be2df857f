#include "support/toy_model.h"

#include <cmath>

#include "blocks/transformer.h"

namespace headwater::testing {

namespace {

constexpr Index width = 4, inner = 8, tokens = 3;

template <class F>
Tensor filled(const Shape& shape, const F& f) {
  std::vector<double> values;
  for (Index k = 0; k < shape.elements(); ++k) values.push_back(f(static_cast<double>(k)));
  return Tensor::of(shape, values);
}

LinearWeights product(Index out, Index in, double k) {
  const Tensor weight =
      filled({out, in}, [&](double idx) { return 0.5 * std::sin(0.37 * idx + 1.1 * k + 0.2); });
  return {.weight = std::make_shared<Matrix>(weight),
          .bias = filled({out}, [&](double idx) { return 0.1 * std::cos(0.5 * idx + 0.9 * k); })};
}

NormWeights norm_weights(double k) {
  return {.gamma = filled({width}, [&](double idx) { return 1 + 0.1 * std::sin(1.7 * idx + k); }),
          .beta = filled({width}, [&](double idx) { return 0.05 * std::cos(1.3 * idx + k); }),
          .eps = 1e-12};
}

}  // namespace

ToyModel::ToyModel() {
  info_.family = info_.model_type = "toy";
  info_.architecture = "ToyModel";
  info_.last().layers = 2;
  info_.last().heads = info_.last().groups = 2;
  info_.last().head_width = 2;
  info_.last().width = width;
  info_.last().feed_forward = inner;
  info_.plain_blocks = true;
  info_.vocabulary = info_.positions = 8;
  info_.dtype = DType::Float64;
  for (const double b : {0.0, 10.0})
    blocks_.push_back({.attention = AttentionWeights{.q = product(width, width, b + 1),
                                                     .k = product(width, width, b + 2),
                                                     .v = product(width, width, b + 3),
                                                     .out = product(width, width, b + 4)},
                       .attention_norm = norm_weights(b + 7),
                       .mlp = MlpWeights{.gate = {},
                                         .up = product(inner, width, b + 5),
                                         .down = product(width, inner, b + 6),
                                         .f = Activation::Gelu},
                       .mlp_norm = norm_weights(b + 8)});
}

HeadLayout ToyModel::layout() const {
  return {.heads = 2, .groups = 2, .scale = 1 / std::sqrt(2.0), .causal = false};
}

Var ToyModel::forward(Tape& tape, const Batch& /*batch*/) const {
  const Tensor input = filled(
      {1, tokens, width}, [](double idx) { return std::sin(0.9 * idx + 0.3) + 0.5 * std::cos(2.3 * idx); });
  Var x = tape.leaf(input, Site::ResidPre);
  for (int l = 0; l < 2; ++l)
    x = post_norm_block(x, blocks_[static_cast<std::size_t>(l)], {.layout = layout()}, {.layer = l});
  return scale(x, 1, Site::Logits);
}

Batch toy_batch() {
  return {.ids = {{1, 2, 3}}};
}

}  // namespace headwater::testing
