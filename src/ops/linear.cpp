// y = x Wᵀ + b over the last axis.
//
// It is its own stand-in, but for the bias, which belongs to no input:
//   pull  m → m W          push  u → u Wᵀ

#include <fmt/format.h>
#include <headwater/error.h>

#include "ops/ops.h"

namespace headwater {
namespace {

class LinearOp final : public Op {
 public:
  explicit LinearOp(LinearWeights w) : w_(std::move(w)) {}
  std::string_view name() const override { return "linear"; }

  Tensor forward(std::span<const Tensor> x) const override {
    if (x[0].rank() == 0 || x[0].shape().back() != w_.weight->cols())
      throw InternalError(
          fmt::format("linear: expected x [.., {}], found {}", w_.weight->cols(), x[0].shape().str()));
    return apply(x[0], w_.bias);
  }

  std::vector<Tensor> pull(const Call& /*call*/, const Tensor& signal,
                           const Rules& /*rules*/) const override {
    Tensor dx(signal.shape().with_back(w_.weight->cols()), signal.dtype());
    dispatch(signal.dtype(), [&](auto r) {
      using R = decltype(r);
      w_.weight->times(signal.data<R>(), dx.data<R>(), signal.size() / w_.weight->rows());
    });
    return {dx};
  }

  Tensor push(const Call& /*call*/, std::span<const Tensor> parts, const Rules& /*rules*/) const override {
    return apply(parts[0], {});
  }

 private:
  Tensor apply(const Tensor& x, const Tensor& bias) const {
    Tensor y(x.shape().with_back(w_.weight->rows()), x.dtype());
    dispatch(x.dtype(), [&](auto r) {
      using R = decltype(r);
      const R* b = bias.empty() ? nullptr : bias.data<R>();
      w_.weight->times_transposed(x.data<R>(), b, y.data<R>(), x.size() / w_.weight->cols());
    });
    return y;
  }

  LinearWeights w_;
};

}  // namespace

Var linear(const Var& x, const LinearWeights& w, Site site, int layer) {
  return x.tape->record(std::make_shared<LinearOp>(w), {x}, site, layer);
}

}  // namespace headwater
