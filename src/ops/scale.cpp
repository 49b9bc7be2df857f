// y = c x with a constant c.
//
//   pull  m → c m          push  u → c u          Relevance forms hand R on.

#include "ops/ops.h"
#include "ops/relevance.h"

namespace headwater {
namespace {

class ScaleOp final : public RowByRowOp {
 public:
  explicit ScaleOp(double factor) : factor_(factor) {}
  std::string_view name() const override { return "scale"; }
  Tensor forward(std::span<const Tensor> x) const override { return scaled(x[0]); }
  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& rules) const override {
    stack_of(signal, call.y);
    if (is_relevance(rules)) return {signal};
    return {scaled(signal)};
  }
  Tensor push(const Call& /*call*/, std::span<const Tensor> parts, const Rules& /*rules*/) const override {
    return scaled(parts[0]);
  }

 private:
  Tensor scaled(const Tensor& x) const {
    return computed(x.shape(), x.dtype(),
                    [&]<class R>(R* y) { kernels::scale(x.data<R>(), factor_, y, x.size()); });
  }
  double factor_;
};

}  // namespace

Var scale(const Var& x, double factor, Place place) {
  return x.tape->record(std::make_shared<ScaleOp>(factor), {x}, place);
}

}  // namespace headwater
