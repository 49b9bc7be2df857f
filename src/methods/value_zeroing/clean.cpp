// The unchanged run of a block, with a the sum of the residual path and attention:
//
//   post-norm   y = norm₁(a),  h = y + ffn(y),         output = norm₂(h)
//   pre-norm    h = a + ffn(norm₂(a)),                 output = h, or the model's last norm of h
//
// The norm before the feed-forward part is kept as t and 1/σ, norm(a) = γ ⊙ t/σ + β, so that its hidden layer
// is f(e/σ + c), e = (γ ⊙ t) W_1, c = β W_1 + b_1.
#include "methods/value_zeroing/clean.h"

#include <cmath>

#include "methods/value_zeroing/fold.h"
#include "numerics/length.h"
#include "ops/relevance.h"

namespace headwater {

namespace {

template <class R>
NormState norm_state(Tensor x, const NormWeights& weights) {
  const Index D = weights.gamma.size(), T = x.size() / D;
  NormState state{std::move(x), Tensor({T}, dtype_of<R>()), &weights};
  R* t = state.t.data<R>();
  R* inverse = state.inverse.data<R>();
  for (Index i = 0; i < T; ++i, t += D) {
    double mean = 0, square = 0;
    for (Index d = 0; d < D && !weights.beta.empty(); ++d) mean += static_cast<double>(t[d]);
    for (Index d = 0; d < D; ++d) {
      t[d] -= static_cast<R>(mean / static_cast<double>(D));
      square += static_cast<double>(t[d]) * static_cast<double>(t[d]);
    }
    inverse[i] = static_cast<R>(1 / std::sqrt(square / static_cast<double>(D) + weights.eps));
  }
  return state;
}

template <class R>
HiddenState hidden_state(const Tensor& scaled, const NormWeights& norm, const LinearWeights& w) {
  const Index F = w.weight->rows();
  HiddenState state{times_hidden<R>(scaled, w), Tensor::zeros({F}, scaled.dtype())};
  const R* bias = w.bias.empty() ? nullptr : w.bias.data<R>();
  if (!norm.beta.empty())
    w.weight->times_transposed<R>(norm.beta.data<R>(), bias, state.c.data<R>(), 1);
  else if (bias != nullptr)
    std::copy_n(bias, F, state.c.data<R>());
  return state;
}

template <class R>
void fill(CleanBlock& block, const Study& study, BlockAt at, const NormWeights* final_norm) {
  const BlockWeights& w = *block.weights;
  const auto two_axes = [](const Tensor& x) { return x.reshaped({x.dim(1), x.dim(2)}); };
  const NormWeights& before = block.post_norm ? w.attention_norm : w.mlp_norm;
  const Tensor mid = study.at(at(Site::ResidMid));
  block.before = norm_state<R>(
      two_axes(block.post_norm ? sum_of(study.at(at(Site::ResidPre)), study.at(at(Site::AttnOut)))
                               : mid.clone()),
      before);
  block.output = two_axes(study.at(at(Site::ResidPost)));
  if (block.post_norm) {
    block.last = norm_state<R>(two_axes(sum_of(mid, study.at(at(Site::MlpOut)))), w.mlp_norm);
  } else if (final_norm != nullptr) {
    block.last = norm_state<R>(block.output.clone(), *final_norm);
    block.output = two_axes(study.at({Site::FinalNorm, 0, at.stack}));
  }

  Tensor scaled = block.before.t.clone();
  centre_and_scale<R>(scaled.data<R>(), block.T, before);
  block.up = hidden_state<R>(scaled, before, w.mlp.up);
  if (w.mlp.gate) block.gate = hidden_state<R>(scaled, before, *w.mlp.gate);
  block.hidden = Tensor({block.T, block.F}, scaled.dtype());
  const auto rows = [](const HiddenState& s) {
    return kernels::HiddenRows<R>{s.e.data<R>(), nullptr, s.c.data<R>(), 0};
  };
  const kernels::HiddenRows<R> up = rows(block.up), gate = block.gate ? rows(*block.gate) : up;
  kernels::hidden_shift<R>(w.mlp.f, up, block.gate ? &gate : nullptr,
                           {.p = nullptr,
                            .s = block.before.inverse.data<R>(),
                            .rows = block.T,
                            .parts = 0,
                            .n = block.F,
                            .begin = 0,
                            .end = block.F},
                           nullptr, block.hidden.data<R>());
  block.length = Tensor({block.T}, scaled.dtype());
  for (Index i = 0; i < block.T; ++i)
    block.length.data<R>()[i] =
        static_cast<R>(std::sqrt(squared_length(block.output.data<R>() + i * block.D, block.D)));
}

}  // namespace

std::optional<CleanBlock> clean_block(const Study& study, const AttentionKind& kind, int layer,
                                      const ZeroingOptions& options) {
  if (kind.is_cross()) return {};
  const BlockAt at{.layer = layer, .stack = kind.stack};
  std::optional<PlainBlock> found = plain_block(study.tape(), at);
  if (!found) return {};
  auto known = std::make_shared<KnownBlock>(KnownBlock{.block = std::move(*found), .final_norm = {}});
  if (compared_at(study, kind, layer, options).site == Site::FinalNorm) {
    const NormWeights* last = final_norm(study.tape(), at);
    if (last == nullptr || !known->block.pre_norm) return {};
    known->final_norm = *last;
  }
  CleanBlock block{.known = known, .weights = &known->block.weights, .heads = known->block.heads};
  const Stack& stack = study.info().stacks[as_size(kind.stack)];
  block.T = study.size(kind.queries);
  block.D = stack.width;
  block.F = block.weights->mlp.up.weight->rows();
  block.E = stack.head_width;
  block.post_norm = !known->block.pre_norm;
  block.pattern = study.at(at(Site::Pattern));
  block.v = study.at(at(Site::V));
  dispatch(study.info().dtype, [&](auto r) {
    fill<decltype(r)>(block, study, at, known->final_norm ? &*known->final_norm : nullptr);
  });
  return block;
}

}  // namespace headwater
