// y[b] = [rows; x[b]]: learned rows ([CLS], distillation) put before the tokens.
//
// The rows are constants: pull drops their signal, push gives them nothing.

#include <algorithm>

#include <headwater/error.h>

#include "ops/ops.h"
#include "ops/seeds.h"

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
    const Index width = rows_.dim(1), own = rows_.size(), block = own + x[0].dim(1) * width;
    return computed({x[0].dim(0), rows_.dim(0) + x[0].dim(1), width}, x[0].dtype(), [&]<class R>(R* y) {
      for (Index b = 0; b < x[0].dim(0); ++b) std::copy_n(rows_.data<R>(), own, y + b * block);
      copy_tokens(x[0].data<R>(), block - own, y + own, block, x[0].dim(0), block - own);
    });
  }

  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& /*rules*/) const override {
    const Index own = rows_.size(), block = call.y.dim(1) * call.y.dim(2);
    const Index batch = stack_of(signal, call.y) * call.y.dim(0);
    return {computed(stacked_like(signal, call.y, call.x[0]), signal.dtype(), [&]<class R>(R* dx) {
      copy_tokens(signal.data<R>() + own, block, dx, block - own, batch, block - own);
    })};
  }

  Tensor push(const Call& call, std::span<const Tensor> parts, const Rules& /*rules*/) const override {
    const Index own = rows_.size(), block = call.y.dim(1) * call.y.dim(2);
    const Index batch = stack_of(parts[0], call.x[0]) * call.y.dim(0);
    return computed(stacked_like(parts[0], call.x[0], call.y), parts[0].dtype(), [&]<class R>(R* dy) {
      for (Index b = 0; b < batch; ++b) std::fill_n(dy + b * block, own, R{0});
      copy_tokens(parts[0].data<R>(), block - own, dy + own, block, batch, block - own);
    });
  }

 private:
  // `count` numbers of every batch member, which stand `stride` apart.
  template <class R>
  static void copy_tokens(const R* from, Index from_stride, R* to, Index to_stride, Index batch,
                          Index count) {
    for (Index b = 0; b < batch; ++b) std::copy_n(from + b * from_stride, count, to + b * to_stride);
  }
  Tensor rows_;
};

}  // namespace

Var prepend(const Var& x, const Tensor& rows, Place place) {
  return x.tape->record(std::make_shared<PrependOp>(rows), {x}, place);
}

}  // namespace headwater
