#include "support/value_example.h"

#include <cmath>

#include "blocks/transformer.h"

namespace headwater::testing {

namespace {

constexpr Index D = 4, F = 6, T = 3;

std::vector<double> sine(double s, Index n, double scale, double off = 0) {
  std::vector<double> values;
  for (Index k = 0; k < n; ++k) values.push_back(off + scale * std::sin(s + 1.7 * static_cast<double>(k)));
  return values;
}

// W [in, out] of the formula is stored as [out, in].
LinearWeights sine_linear(double s, Index in, Index out, double scale, DType dtype) {
  const std::vector<double> given = sine(s, in * out, scale);
  std::vector<double> turned;
  for (Index o = 0; o < out; ++o)
    for (Index i = 0; i < in; ++i) turned.push_back(given[static_cast<std::size_t>(i * out + o)]);
  return {.weight = std::make_shared<Matrix>(Tensor::of({out, in}, turned, dtype)),
          .bias = Tensor::of({out}, sine(s + 0.1, out, 0.1), dtype)};
}

NormWeights sine_norm(double s, double eps, DType dtype) {
  return {.gamma = Tensor::of({D}, sine(s, D, 0.1, 1), dtype),
          .beta = Tensor::of({D}, sine(s + 0.1, D, 0.05), dtype),
          .eps = eps};
}

class ValueExample : public Model {
 public:
  ValueExample(bool pre_norm, DType dtype) : final_(sine_norm(90, 1e-5, dtype)) {
    info_.last().layers = 2;
    info_.last().heads = info_.last().groups = info_.last().head_width = 2;
    info_.last().width = D;
    info_.last().feed_forward = F;
    info_.plain_blocks = true;
    info_.vocabulary = info_.positions = 8;
    info_.last().causal = info_.pre_norm = pre_norm;
    info_.dtype = dtype;
    const double eps = pre_norm ? 1e-5 : 1e-12;
    for (int l = 0; l < 2; ++l) {
      const double b = 10.0 * (l + 1);
      blocks_.push_back({.attention = AttentionWeights{.q = sine_linear(b + 1, D, D, 2, dtype),
                                                       .k = sine_linear(b + 2, D, D, 2, dtype),
                                                       .v = sine_linear(b + 3, D, D, .5, dtype),
                                                       .out = sine_linear(b + 4, D, D, .5, dtype)},
                         .attention_norm = sine_norm(b + 5, eps, dtype),
                         .mlp = MlpWeights{.gate = {},
                                           .up = sine_linear(b + 6, D, F, .5, dtype),
                                           .down = sine_linear(b + 7, F, D, .5, dtype),
                                           .f = pre_norm ? Activation::GeluTanh : Activation::Gelu},
                         .mlp_norm = sine_norm(b + 8, eps, dtype)});
    }
  }

 protected:
  Var forward(Tape& tape, const Batch&) const override {
    Var x = tape.leaf(Tensor::of({1, T, D}, sine(1, T * D, 1), info_.dtype), Site::ResidPre);
    const auto block = info_.pre_norm ? pre_norm_block : post_norm_block;
    for (int l = 0; l < info_.last().layers; ++l)
      x = block(x, blocks_[static_cast<std::size_t>(l)], {.layout = heads()}, {.layer = l});
    return scale(info_.pre_norm ? norm(x, final_, Site::FinalNorm) : x, 1, Site::Logits);
  }

 private:
  HeadLayout heads() const {
    return {.heads = 2, .groups = 2, .scale = 1 / std::sqrt(2.0), .causal = info_.last().causal};
  }
  std::vector<BlockWeights> blocks_;
  NormWeights final_;
};

}  // namespace

std::unique_ptr<Model> sine_model(bool pre_norm, DType dtype) {
  return std::make_unique<ValueExample>(pre_norm, dtype);
}

}  // namespace headwater::testing
