// p = softmax(s) over the last axis; with a causal mask, row t covers keys 0 … t and the rest is exactly
// 0; where f keys stood before those of this run, 0 … f + t.
//
// The Jacobian diag(p) − p pᵀ is symmetric, so pull and push agree: g → p ⊙ (g − Σ g p).
// Under Rules::Softmax::Constant the pattern is taken as given: nothing passes. Relevance forms hand R on.

#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

#include "ops/ops.h"
#include "ops/relevance.h"

namespace headwater {
namespace {

class SoftmaxOp final : public Op {
 public:
  explicit SoftmaxOp(bool causal, Index first, Rows rows = {})
      : causal_(causal), first_(first), rows_(std::move(rows)) {}
  std::string_view name() const override { return "softmax"; }
  Rows rows_needed(std::size_t /*input*/, const Rows& wanted) const override { return wanted; }
  std::shared_ptr<const Op> for_rows(const Rows& wanted) const override {
    if (!causal_ || !wanted) return shared_from_this();
    return std::make_shared<SoftmaxOp>(causal_, first_, wanted);
  }

  Tensor forward(std::span<const Tensor> x) const override {
    const Shape& shape = x[0].shape();
    const auto queries = rows_              ? static_cast<Index>(rows_->size())
                         : shape.rank() < 2 ? 0
                                            : shape.back() - first_;
    if (shape.rank() < 2 || (causal_ && shape[shape.rank() - 2] != queries))
      throw InternalError(
          fmt::format("softmax: expected scores [.., T, {} + T], found {}", first_, shape.str()));
    return computed(shape, x[0].dtype(), [&]<class R>(R* to) {
      const R* from = x[0].data<R>();
      const Index n = shape.back(), count = x[0].size() / n;
      if (!causal_ || (!rows_ && first_ == 0))
        return kernels::softmax(from, to, count, n, causal_ ? queries : Index{0});
      for (Index i = 0; i < count; ++i) {
        const Index row = i % queries, keys = first_ + 1 + (rows_ ? (*rows_)[as_size(row)] : row);
        kernels::softmax(from + i * n, to + i * n, 1, keys, 0);
        std::fill(to + i * n + keys, to + (i + 1) * n, R{0});
      }
    });
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
  Index first_;  // the query of row 0
  Rows rows_;    // which queries the rows are of, counted from there; none: all, in order
};

}  // namespace

Var softmax(const Var& scores, bool causal, Place place, Index first) {
  return scores.tape->record(std::make_shared<SoftmaxOp>(causal, first), {scores}, place);
}

}  // namespace headwater
