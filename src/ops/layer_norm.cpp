// y = γ (x − mean x) / σ + β over the last axis, σ = sqrt(var x + ε).       (Ba et al., 2016)
//
// With n̂ the normalised input and g = γ ⊙ m, the exact stand-in is
//   pull  m → (g − mean g − n̂ mean(g n̂)) / σ          push  u → γ (u − mean u − n̂ mean(u n̂)) / σ
// Holding σ constant (Rules::Norm::FrozenScale) drops the n̂ terms: the "LN rule" of Ali et al. (2022) and
// the identity rule of AttnLRP. β belongs to no input, unless Rules::Bias::AbsDot shares it out among the
// stacked parts (shared_bias.h). Relevance forms hand R on.

#include "ops/ops.h"
#include "ops/relevance.h"
#include "ops/seeds.h"
#include "ops/shared_bias.h"

namespace headwater {
namespace {

class LayerNormOp final : public RowByRowOp {
 public:
  explicit LayerNormOp(NormWeights w) : w_(std::move(w)) {}
  std::string_view name() const override { return "layer_norm"; }
  const NormWeights& weights() const { return w_; }

  Tensor forward(std::span<const Tensor> x) const override {
    require_shape("layer_norm", "x", x[0].shape(), x[0].shape().with_back(w_.gamma.size()));
    Tensor y(x[0].shape(), x[0].dtype());
    dispatch(y.dtype(), [&](auto r) {
      using R = decltype(r);
      kernels::layer_norm(x[0].data<R>(), w_.gamma.data<R>(), w_.beta.data<R>(), y.data<R>(), rows(y),
                          width(), w_.eps);
    });
    return y;
  }

  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& rules) const override {
    if (is_relevance(rules)) return {signal};
    return {each_seed(signal, call.y, [&]<class R>(const R* m, R* dx) {
      kernels::layer_norm_pull(call.x[0].data<R>(), w_.gamma.data<R>(), m, dx, rows(call.y), width(), w_.eps,
                               exact(rules));
    })};
  }

  Tensor push(const Call& call, std::span<const Tensor> parts, const Rules& rules) const override {
    Tensor pushed = each_seed(parts[0], call.y, [&]<class R>(const R* u, R* dy) {
      kernels::layer_norm_push(call.x[0].data<R>(), w_.gamma.data<R>(), u, dy, rows(call.y), width(), w_.eps,
                               exact(rules));
    });
    if (rules.bias == Rules::Bias::AbsDot) share_bias(pushed, w_.beta, stack_of(pushed, call.y));
    return pushed;
  }

 private:
  static double exact(const Rules& rules) { return rules.norm == Rules::Norm::Exact ? 1 : 0; }
  Index width() const { return w_.gamma.size(); }
  Index rows(const Tensor& y) const { return y.size() / width(); }

  NormWeights w_;
};

}  // namespace

const NormWeights* as_layer_norm(const Op* op) {
  const auto* found = dynamic_cast<const LayerNormOp*>(op);
  return found == nullptr ? nullptr : &found->weights();
}

Var layer_norm(const Var& x, const NormWeights& w, Place place) {
  return x.tape->record(std::make_shared<LayerNormOp>(w), {x}, place);
}

}  // namespace headwater
