// LayerNorm, y = γ (x − mean x) / σ + β over the last axis, σ = sqrt(var x + ε) (Ba et al., 2016), and
// RMSNorm, which takes the mean for 0 and has no β: y = γ x / σ, σ = sqrt(mean x² + ε) (Zhang & Sennrich,
// 2019).
//
// With n̂ the normalised input and g = γ ⊙ m, the exact stand-in is
//   pull  m → (g − mean g − n̂ mean(g n̂)) / σ          push  u → γ (u − mean u − n̂ mean(u n̂)) / σ
// without mean g and mean u in an RMSNorm. Holding σ constant (Rules::Norm::FrozenScale) drops the n̂ terms:
// the "LN rule" of Ali et al. (2022) and the identity rule of AttnLRP. β belongs to no input, unless
// Rules::Bias::AbsDot shares it out among the stacked parts (shared_bias.h). Relevance forms hand R on.

#include "ops/ops.h"
#include "ops/relevance.h"
#include "ops/shared_bias.h"

namespace headwater {
namespace {

class NormOp final : public RowByRowOp {
 public:
  enum class Kind { Layer, Rms };
  NormOp(NormWeights w, Kind kind) : w_(std::move(w)), kind_(kind) {}
  std::string_view name() const override { return kind_ == Kind::Layer ? "layer_norm" : "rms_norm"; }
  const NormWeights& weights() const { return w_; }

  Tensor forward(std::span<const Tensor> x) const override {
    require_shape(name(), "x", x[0].shape(), x[0].shape().with_back(width()));
    return computed(x[0].shape(), x[0].dtype(), [&]<class R>(R* y) {
      kernels::norm(as_kernel<R>(), x[0].data<R>(), y, x[0].size() / width(), width());
    });
  }

  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& rules) const override {
    if (is_relevance(rules)) return {signal};
    return {each_seed(signal, call.y, [&]<class R>(const R* m, R* dx) {
      kernels::norm_pull(as_kernel<R>(), call.x[0].data<R>(), m, dx, call.y.size() / width(), width(),
                         exact(rules));
    })};
  }

  Tensor push(const Call& call, std::span<const Tensor> parts, const Rules& rules) const override {
    Tensor pushed = each_seed(parts[0], call.y, [&]<class R>(const R* u, R* dy) {
      kernels::norm_push(as_kernel<R>(), call.x[0].data<R>(), u, dy, call.y.size() / width(), width(),
                         exact(rules));
    });
    if (rules.bias == Rules::Bias::AbsDot) share_bias(pushed, w_.beta, stack_of(pushed, call.y));
    return pushed;
  }

 private:
  static double exact(const Rules& rules) { return rules.norm == Rules::Norm::Exact ? 1 : 0; }
  Index width() const { return w_.gamma.size(); }
  template <class R>
  kernels::Norm<R> as_kernel() const {
    const bool centred = kind_ == Kind::Layer;
    return {w_.gamma.data<R>(), centred ? w_.beta.data<R>() : nullptr, w_.eps, centred};
  }

  NormWeights w_;
  Kind kind_;
};

}  // namespace

const NormWeights* as_norm(const Op* op) {
  const auto* found = dynamic_cast<const NormOp*>(op);
  return found == nullptr ? nullptr : &found->weights();
}

Var layer_norm(const Var& x, const NormWeights& w, Place place) {
  return x.tape->record(std::make_shared<NormOp>(w, NormOp::Kind::Layer), {x}, place);
}

Var rms_norm(const Var& x, const NormWeights& w, Place place) {
  return x.tape->record(std::make_shared<NormOp>(w, NormOp::Kind::Rms), {x}, place);
}

}  // namespace headwater
