// Rotary position embedding (Su et al., 2021): in every head the pairs (x_i, x_{i+E/2}) are turned by an
// angle that grows with the position; the tables cos, sin [T, E/2] say by how much.
//
// A rotation: push turns like forward, pull turns back. Relevance forms hand R on, number by number.

#include <fmt/format.h>
#include <headwater/error.h>

#include "ops/ops.h"
#include "ops/relevance.h"

namespace headwater {
namespace {

class RotaryOp final : public Op {
 public:
  RotaryOp(Tensor cos, Tensor sin, int heads) : cos_(std::move(cos)), sin_(std::move(sin)), heads_(heads) {}
  std::string_view name() const override { return "rotary"; }

  Tensor forward(std::span<const Tensor> x) const override {
    const Shape& shape = x[0].shape();
    if (shape.rank() != 3 || shape[1] != cos_.dim(0) || shape[2] != heads_ * 2 * cos_.dim(1))
      throw InternalError(fmt::format("rotary: expected x [B, {}, {}], found {}", cos_.dim(0),
                                      heads_ * 2 * cos_.dim(1), shape.str()));
    return turned(x[0], 1);
  }
  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& rules) const override {
    stack_of(signal, call.y);
    if (is_relevance(rules)) return {signal};
    return {turned(signal, -1)};
  }
  Tensor push(const Call& /*call*/, std::span<const Tensor> parts, const Rules& /*rules*/) const override {
    return turned(parts[0], 1);
  }

 private:
  Tensor turned(const Tensor& x, int direction) const {
    Tensor y(x.shape(), x.dtype());
    const Index width = x.shape().back();
    dispatch(x.dtype(), [&](auto r) {
      using R = decltype(r);
      kernels::rotate(x.data<R>(), cos_.data<R>(), sin_.data<R>(), y.data<R>(), x.size() / width, cos_.dim(0),
                      Index{heads_}, width / heads_, direction);
    });
    return y;
  }
  Tensor cos_, sin_;
  int heads_;
};

}  // namespace

Var rotary(const Var& x, const Tensor& cos, const Tensor& sin, int heads, Site site, int layer) {
  return x.tape->record(std::make_shared<RotaryOp>(cos, sin, heads), {x}, site, layer);
}

}  // namespace headwater
