// y = f(x), elementwise.
//
// The stand-in multiplies by a slope: the tangent f'(x) (the gradient), or under Rules::Activation::Secant
// f(x)/x, the line through the origin, which conserves Σ m ⊙ x. A slope is symmetric: pull and push agree.
// Relevance forms hand R on.

#include "ops/ops.h"
#include "ops/relevance.h"

namespace headwater {
namespace {

class ActivationOp final : public RowByRowOp {
 public:
  explicit ActivationOp(Activation f) : f_(f) {}
  std::string_view name() const override { return "activation"; }
  Activation function() const { return f_; }

  Tensor forward(std::span<const Tensor> x) const override {
    return computed(x[0].shape(), x[0].dtype(),
                    [&]<class R>(R* y) { kernels::activate(f_, x[0].data<R>(), y, x[0].size()); });
  }

  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& rules) const override {
    if (is_relevance(rules)) return {signal};
    return {times_slope(call, signal, rules)};
  }

  Tensor push(const Call& call, std::span<const Tensor> parts, const Rules& rules) const override {
    return times_slope(call, parts[0], rules);
  }

 private:
  Tensor times_slope(const Call& call, const Tensor& in, const Rules& rules) const {
    const auto kind =
        rules.activation == Rules::Activation::Tangent ? kernels::Slope::Tangent : kernels::Slope::Secant;
    const Tensor slope = computed(call.y.shape(), call.y.dtype(), [&]<class R>(R* to) {
      kernels::activation_slope(f_, kind, call.x[0].data<R>(), to, call.y.size());
    });
    return times_value(in, slope);
  }

  Activation f_;
};

}  // namespace

std::optional<Activation> as_activation(const Op* op) {
  const auto* found = dynamic_cast<const ActivationOp*>(op);
  return found == nullptr ? std::nullopt : std::optional(found->function());
}

Var activation(const Var& x, Activation f, Place place) {
  return x.tape->record(std::make_shared<ActivationOp>(f), {x}, place);
}

}  // namespace headwater
