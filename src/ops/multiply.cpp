// y = a ⊙ b, shapes equal: the gate of a gated feed-forward block.
//
//   pull  m → (c m ⊙ b, c m ⊙ a)          push  (u, v) → c (u ⊙ b + a ⊙ v)
// c = 1 is the exact Jacobian; Rules::Product::Halved takes c = 1/2, so that the product is shared out
// evenly and Σ m ⊙ x is conserved. Relevance forms give each factor half of R.

#include "ops/ops.h"
#include "ops/relevance.h"

namespace headwater {
namespace {

class MultiplyOp final : public RowByRowOp {
 public:
  std::string_view name() const override { return "multiply"; }

  Tensor forward(std::span<const Tensor> x) const override {
    require_shape("multiply", "b", x[1].shape(), x[0].shape());
    return times(x[0], x[1], 1);
  }

  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& rules) const override {
    if (is_relevance(rules)) {
      const Tensor half = computed(signal.shape(), signal.dtype(), [&]<class R>(R* to) {
        kernels::scale(signal.data<R>(), 0.5, to, signal.size());
      });
      return {half, half};
    }
    return {times(signal, call.x[1], share(rules)), times(signal, call.x[0], share(rules))};
  }

  Tensor push(const Call& call, std::span<const Tensor> parts, const Rules& rules) const override {
    Tensor sum;
    for (std::size_t k = 0; k < 2; ++k) {
      if (parts[k].empty()) continue;
      Tensor term = times(parts[k], call.x[1 - k], share(rules));
      if (!sum.empty())
        dispatch(sum.dtype(), [&]<class R>(R) {
          kernels::accumulate(std::as_const(sum).data<R>(), term.data<R>(), sum.size());
        });
      sum = std::move(term);
    }
    return sum;
  }

 private:
  static double share(const Rules& rules) { return rules.product == Rules::Product::Halved ? 0.5 : 1; }

  // in [S, …] ⊙ factor [ … ], scaled.
  static Tensor times(const Tensor& in, const Tensor& factor, double c) {
    return each_seed(in, factor, [&]<class R>(const R* u, R* out) {
      kernels::multiply(u, factor.data<R>(), out, factor.size());
      if (c != 1) kernels::scale(static_cast<const R*>(out), c, out, factor.size());
    });
  }
};

}  // namespace

bool is_multiply(const Op* op) {
  return dynamic_cast<const MultiplyOp*>(op) != nullptr;
}

Var multiply(const Var& gate, const Var& up, Place place) {
  return gate.tape->record(std::make_shared<MultiplyOp>(), {gate, up}, place);
}

}  // namespace headwater
