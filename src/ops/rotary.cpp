// Rotary position embedding (Su et al., 2021): in every head the pairs (x_i, x_{i+E/2}) are turned by an
// angle that grows with the position; the tables cos, sin [T, E/2] say by how much.
//
// A rotation: push turns like forward, pull turns back. Relevance forms hand R on, number by number.

#include <fmt/format.h>
#include <headwater/error.h>

#include "ops/ops.h"
#include "ops/relevance.h"
#include "tape/copies.h"

namespace headwater {
namespace {

class RotaryOp final : public Op {
 public:
  RotaryOp(Tensor cos, Tensor sin, int heads) : cos_(std::move(cos)), sin_(std::move(sin)), heads_(heads) {}
  std::string_view name() const override { return "rotary"; }
  Rows rows_needed(std::size_t /*input*/, const Rows& wanted) const override { return wanted; }
  std::shared_ptr<const Op> for_rows(const Rows& wanted) const override {
    if (!wanted) return shared_from_this();
    const auto some = [&](const Tensor& table) {  // [T, E/2]
      const Tensor rows = picked_rows(table.reshaped(table.shape().with_front(1)), *wanted);
      return rows.reshaped(rows.shape().without_front());
    };
    return std::make_shared<RotaryOp>(some(cos_), some(sin_), heads_);
  }

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
    const Index width = x.shape().back();
    return computed(x.shape(), x.dtype(), [&]<class R>(R* y) {
      kernels::rotate(x.data<R>(), cos_.data<R>(), sin_.data<R>(), y, x.size() / width, cos_.dim(0),
                      Index{heads_}, width / heads_, direction);
    });
  }
  Tensor cos_, sin_;
  int heads_;
};

}  // namespace

Var rotary(const Var& x, const Tensor& cos, const Tensor& sin, int heads, Place place) {
  return x.tape->record(std::make_shared<RotaryOp>(cos, sin, heads), {x}, place);
}

}  // namespace headwater
