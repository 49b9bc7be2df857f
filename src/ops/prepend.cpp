// y[b] = [rows; x[b]]: learned rows ([CLS], distillation) put before the tokens.
//
// The rows are constants: pull drops their signal, push gives them nothing.

#include <algorithm>

#include <headwater/error.h>

#include "ops/ops.h"

namespace headwater {
namespace {

class PrependOp final : public Op {
 public:
  explicit PrependOp(Tensor rows) : rows_(std::move(rows)) {}
  std::string_view name() const override { return "prepend"; }

  Tensor forward(std::span<const Tensor> x) const override {
    if (x[0].rank() != 3 || x[0].dim(2) != rows_.dim(1))
      throw InternalError("prepend: expected x [B, T, " + std::to_string(rows_.dim(1)) + "], found " +
                          x[0].shape().str());
    Tensor y({x[0].dim(0), rows_.dim(0) + x[0].dim(1), x[0].dim(2)}, x[0].dtype());
    dispatch(y.dtype(), [&](auto r) {
      using R = decltype(r);
      const Index block = y.dim(1) * y.dim(2);
      for (Index b = 0; b < y.dim(0); ++b)
        std::copy_n(rows_.data<R>(), rows_.size(), y.data<R>() + b * block);
      copy_tokens(x[0].data<R>(), y.data<R>() + rows_.size(), y.dim(0), block - rows_.size(),
                  block - rows_.size(), block);
    });
    return y;
  }

  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& /*rules*/) const override {
    const Index seeds = stack_of(signal, call.y);
    Tensor dx(stacked_like(signal, call.y, call.x[0]), signal.dtype());
    const Index block = call.y.dim(1) * call.y.dim(2);
    dispatch(signal.dtype(), [&](auto r) {
      using R = decltype(r);
      copy_tokens(signal.data<R>() + rows_.size(), dx.data<R>(), seeds * call.y.dim(0), block - rows_.size(),
                  block, block - rows_.size());
    });
    return {dx};
  }

  Tensor push(const Call& call, std::span<const Tensor> parts, const Rules& /*rules*/) const override {
    const Index seeds = stack_of(parts[0], call.x[0]);
    Tensor dy = Tensor::zeros(stacked_like(parts[0], call.x[0], call.y), parts[0].dtype());
    const Index block = call.y.dim(1) * call.y.dim(2);
    dispatch(dy.dtype(), [&](auto r) {
      using R = decltype(r);
      copy_tokens(parts[0].data<R>(), dy.data<R>() + rows_.size(), seeds * call.y.dim(0),
                  block - rows_.size(), block - rows_.size(), block);
    });
    return dy;
  }

 private:
  template <class R>
  static void copy_tokens(const R* from, R* to, Index batch, Index count, Index from_stride,
                          Index to_stride) {
    for (Index b = 0; b < batch; ++b) std::copy_n(from + b * from_stride, count, to + b * to_stride);
  }
  Tensor rows_;
};

}  // namespace

Var prepend(const Var& x, const Tensor& rows, Place place) {
  return x.tape->record(std::make_shared<PrependOp>(rows), {x}, place);
}

}  // namespace headwater
