// y = a + b, shapes equal: the residual sum.
//
//   pull  m → (m, m)          push  (u, v) → u + v

#include "ops/ops.h"

namespace headwater {
namespace {

class AddOp final : public Op {
 public:
  std::string_view name() const override { return "add"; }

  Tensor forward(std::span<const Tensor> x) const override {
    require_shape("add", "b", x[1].shape(), x[0].shape());
    return sum(x[0], x[1]);
  }

  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& /*rules*/) const override {
    stack_of(signal, call.y);
    return {signal, signal};
  }

  Tensor push(const Call& /*call*/, std::span<const Tensor> parts, const Rules& /*rules*/) const override {
    if (parts[0].empty()) return parts[1];
    if (parts[1].empty()) return parts[0];
    return sum(parts[0], parts[1]);
  }

 private:
  static Tensor sum(const Tensor& a, const Tensor& b) {
    Tensor y(a.shape(), a.dtype());
    dispatch(y.dtype(), [&](auto r) {
      using R = decltype(r);
      kernels::add(a.data<R>(), b.data<R>(), y.data<R>(), y.size());
    });
    return y;
  }
};

}  // namespace

Var add(const Var& a, const Var& b, Site site, int layer) {
  return a.tape->record(std::make_shared<AddOp>(), {a, b}, site, layer);
}

}  // namespace headwater
