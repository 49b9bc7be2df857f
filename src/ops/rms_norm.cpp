// y = γ x / ρ over the last axis, ρ = sqrt(mean x² + ε).                     (Zhang & Sennrich, 2019)
//
// With n̂ = x / ρ and g = γ ⊙ m, the exact stand-in is
//   pull  m → (g − n̂ mean(g n̂)) / ρ          push  u → γ (u − n̂ mean(u n̂)) / ρ
// Rules::Norm::FrozenScale holds ρ constant and drops the n̂ terms. Relevance forms hand R on.

#include "ops/ops.h"
#include "ops/relevance.h"
#include "ops/seeds.h"

namespace headwater {
namespace {

class RmsNormOp final : public RowByRowOp {
 public:
  explicit RmsNormOp(NormWeights w) : w_(std::move(w)) {}
  std::string_view name() const override { return "rms_norm"; }
  const NormWeights& weights() const { return w_; }

  Tensor forward(std::span<const Tensor> x) const override {
    require_shape("rms_norm", "x", x[0].shape(), x[0].shape().with_back(w_.gamma.size()));
    Tensor y(x[0].shape(), x[0].dtype());
    dispatch(y.dtype(), [&](auto r) {
      using R = decltype(r);
      kernels::rms_norm(x[0].data<R>(), w_.gamma.data<R>(), y.data<R>(), rows(y), width(), w_.eps);
    });
    return y;
  }

  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& rules) const override {
    if (is_relevance(rules)) return {signal};
    return {each_seed(signal, call.y, [&]<class R>(const R* m, R* dx) {
      kernels::rms_norm_pull(call.x[0].data<R>(), w_.gamma.data<R>(), m, dx, rows(call.y), width(), w_.eps,
                             exact(rules));
    })};
  }

  Tensor push(const Call& call, std::span<const Tensor> parts, const Rules& rules) const override {
    return each_seed(parts[0], call.y, [&]<class R>(const R* u, R* dy) {
      kernels::rms_norm_push(call.x[0].data<R>(), w_.gamma.data<R>(), u, dy, rows(call.y), width(), w_.eps,
                             exact(rules));
    });
  }

 private:
  static double exact(const Rules& rules) { return rules.norm == Rules::Norm::Exact ? 1 : 0; }
  Index width() const { return w_.gamma.size(); }
  Index rows(const Tensor& y) const { return y.size() / width(); }

  NormWeights w_;
};

}  // namespace

const NormWeights* as_rms_norm(const Op* op) {
  const auto* found = dynamic_cast<const RmsNormOp*>(op);
  return found == nullptr ? nullptr : &found->weights();
}

Var rms_norm(const Var& x, const NormWeights& w, Place place) {
  return x.tape->record(std::make_shared<RmsNormOp>(w), {x}, place);
}

}  // namespace headwater
