// p = softmax(s) over the last axis; with a causal mask, row t covers keys 0 … t and the rest is exactly 0.
//
// The Jacobian diag(p) − p pᵀ is symmetric, so pull and push agree: g → p ⊙ (g − Σ g p).
// Under Rules::Softmax::Constant the pattern is taken as given: nothing passes. Relevance forms hand R on.

#include <headwater/error.h>

#include "ops/ops.h"
#include "ops/relevance.h"
#include "ops/seeds.h"

namespace headwater {
namespace {

class SoftmaxOp final : public Op {
 public:
  explicit SoftmaxOp(bool causal) : causal_(causal) {}
  std::string_view name() const override { return "softmax"; }

  Tensor forward(std::span<const Tensor> x) const override {
    const Shape& shape = x[0].shape();
    if (shape.rank() < 2 || (causal_ && shape[shape.rank() - 2] != shape.back()))
      throw InternalError("softmax: expected scores [.., T, T], found " + shape.str());
    Tensor p(shape, x[0].dtype());
    dispatch(p.dtype(), [&](auto r) {
      using R = decltype(r);
      kernels::softmax(x[0].data<R>(), p.data<R>(), p.size() / shape.back(), shape.back(),
                       causal_ ? shape[shape.rank() - 2] : Index{0});
    });
    return p;
  }

  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& rules) const override {
    if (is_relevance(rules)) return {signal};
    return {jacobian(call, signal, rules)};
  }

  Tensor push(const Call& call, std::span<const Tensor> parts, const Rules& rules) const override {
    return jacobian(call, parts[0], rules);
  }

 private:
  static Tensor jacobian(const Call& call, const Tensor& in, const Rules& rules) {
    if (rules.softmax == Rules::Softmax::Constant) return {};
    const Index n = call.y.shape().back();
    return each_seed(in, call.y, [&]<class R>(const R* g, R* out) {
      kernels::softmax_jacobian(call.y.data<R>(), g, out, call.y.size() / n, n);
    });
  }

  bool causal_;
};

}  // namespace

Var softmax(const Var& scores, bool causal, Site site, int layer) {
  return scores.tape->record(std::make_shared<SoftmaxOp>(causal), {scores}, site, layer);
}

}  // namespace headwater
