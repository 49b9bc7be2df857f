// s[b, h, i, j] = c · q[b, i, h] · k[b, j, g(h)], g(h) = h / (H/G): query heads may share a key head.
//
//   pull  m → ( c a Σ_j m_ij k_j,  c a Σ_h Σ_i m_ij q_i )          push  (u, v) → c a (u·k + q·v)
// a = 1 is the exact Jacobian; Rules::Product::Halved takes a = 1/2. Under Rules::Softmax::Constant the
// pattern is given, whatever the scores: nothing passes. Relevance forms: R_q = q ⊙ (R/(q·k) k)/2, R_k = k ⊙
// (R/(q·k)ᵀ q)/2; c drops out.

#include <fmt/format.h>
#include <headwater/error.h>

#include "ops/ops.h"
#include "ops/relevance.h"

namespace headwater {
namespace {

class AttentionScoresOp final : public Op {
 public:
  explicit AttentionScoresOp(const HeadLayout& layout) : layout_(layout) {}
  std::string_view name() const override { return "attention_scores"; }
  const HeadLayout& layout() const { return layout_; }
  Rows rows_needed(std::size_t input, const Rows& wanted) const override {
    return input == 0 ? wanted : Rows{};  // a row of scores is of one query and all keys
  }
  std::shared_ptr<const Op> for_rows(const Rows& /*wanted*/) const override { return shared_from_this(); }

  Tensor forward(std::span<const Tensor> x) const override {
    const Shape &q = x[0].shape(), &k = x[1].shape();
    if (q.rank() != 3 || k.rank() != 3 || q[0] != k[0] || q[2] % layout_.heads != 0 ||
        k[2] != q[2] / layout_.heads * layout_.groups)
      throw InternalError(
          fmt::format("attention_scores: expected q [B, T, {}·E] and k [B, T, {}·E], found {} and {}",
                      layout_.heads, layout_.groups, q.str(), k.str()));
    Tensor s({q[0], layout_.heads, q[1], k[1]}, x[0].dtype());
    product(x[0], x[1], s, dims(x), 1, 1, 0);
    return s;
  }

  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& rules) const override {
    if (is_relevance(rules)) return relevance(call, signal, rules);
    if (rules.softmax == Rules::Softmax::Constant) return {Tensor(), Tensor()};
    const Dims d = dims(call.x);
    const Index seeds = stack_of(signal, call.y);
    Tensor dq(stacked_like(signal, call.y, call.x[0]), signal.dtype());
    Tensor dk(stacked_like(signal, call.y, call.x[1]), signal.dtype());
    const double alpha = layout_.scale * share(rules);
    dispatch(signal.dtype(), [&](auto r) {
      using R = decltype(r);
      const R *m = signal.data<R>(), *q = call.x[0].data<R>(), *k = call.x[1].data<R>();
      std::vector<kernels::GemmTask<R>> to_q;
      for (Index s = 0; s < seeds; ++s)
        for (Index b = 0; b < d.b; ++b)
          for (Index h = 0; h < d.h; ++h)
            to_q.push_back({m + ((s * d.b + b) * d.h + h) * d.q * d.k, k + d.key(b, h / d.share),
                            dq.data<R>() + d.query(s * d.b + b, h)});
      kernels::gemm_batch<R>(
          {.m = d.q, .n = d.e, .k = d.k, .lda = d.k, .ldb = d.g * d.e, .ldc = d.h * d.e, .alpha = alpha},
          to_q);
      // Heads that share a key add up one after the other, so that no two products write to one place.
      for (Index j = 0; j < d.share; ++j) {
        std::vector<kernels::GemmTask<R>> to_k;
        for (Index s = 0; s < seeds; ++s)
          for (Index b = 0; b < d.b; ++b)
            for (Index g = 0; g < d.g; ++g)
              to_k.push_back({m + ((s * d.b + b) * d.h + g * d.share + j) * d.q * d.k,
                              q + d.query(b, g * d.share + j), dk.data<R>() + d.key(s * d.b + b, g)});
        kernels::gemm_batch<R>({.m = d.k,
                                .n = d.e,
                                .k = d.q,
                                .transpose_a = true,
                                .lda = d.k,
                                .ldb = d.h * d.e,
                                .ldc = d.g * d.e,
                                .alpha = alpha,
                                .beta = j == 0 ? 0.0 : 1.0},
                               to_k);
      }
    });
    return {dq, dk};
  }

  Tensor push(const Call& call, std::span<const Tensor> parts, const Rules& rules) const override {
    if (rules.softmax == Rules::Softmax::Constant) return {};
    const Dims d = dims(call.x);
    const Tensor& some = parts[0].empty() ? parts[1] : parts[0];
    const Tensor& its = parts[0].empty() ? call.x[1] : call.x[0];
    const Index seeds = stack_of(some, its);
    Tensor out(stacked_like(some, its, call.y), some.dtype());
    double beta = 0;
    if (!parts[0].empty()) {
      product(parts[0], call.x[1], out, d, seeds, share(rules), beta, Stacked::First);
      beta = 1;
    }
    if (!parts[1].empty()) product(call.x[0], parts[1], out, d, seeds, share(rules), beta, Stacked::Second);
    return out;
  }

 private:
  struct Dims {
    Index b, h, g, share, q, k, e;
    Index query(Index batch, Index head) const { return batch * q * h * e + head * e; }
    Index key(Index batch, Index group) const { return batch * k * g * e + group * e; }
  };
  enum class Stacked { Both, First, Second };

  Dims dims(std::span<const Tensor> x) const {
    return {.b = x[0].dim(0),
            .h = layout_.heads,
            .g = layout_.groups,
            .share = layout_.heads / layout_.groups,
            .q = x[0].dim(1),
            .k = x[1].dim(1),
            .e = x[0].dim(2) / layout_.heads};
  }
  static double share(const Rules& rules) { return rules.product == Rules::Product::Halved ? 0.5 : 1; }

  std::vector<Tensor> relevance(const Call& call, Tensor arrived, const Rules& rules) const {
    Call exact{.x = {call.x[0].to(arrived.dtype()), call.x[1].to(arrived.dtype())}, .y = call.y};
    if (call.y.dtype() != arrived.dtype()) exact.y = forward(exact.x);
    if (rules.mask_sum)
      arrived = relevance_of_sum(arrived, exact.y, Tensor::zeros(exact.y.shape(), exact.y.dtype()), rules,
                                 rules.relevance == Rules::Relevance::Chefer)[0];
    const std::vector<Tensor> m =
        pull(exact, ratio(arrived, exact.y, rules, layout_.scale), {.product = Rules::Product::Halved});
    return {times_value(m[0], exact.x[0]), times_value(m[1], exact.x[1])};
  }

  // out = a c q·k + beta out over all seeds, of which only one factor may carry any.
  void product(const Tensor& q, const Tensor& k, Tensor& out, const Dims& d, Index seeds, double a,
               double beta, Stacked stacked = Stacked::Both) const {
    dispatch(out.dtype(), [&](auto r) {
      using R = decltype(r);
      std::vector<kernels::GemmTask<R>> tasks;
      for (Index s = 0; s < seeds; ++s)
        for (Index b = 0; b < d.b; ++b)
          for (Index h = 0; h < d.h; ++h)
            tasks.push_back({q.data<R>() + d.query(stacked == Stacked::Second ? b : s * d.b + b, h),
                             k.data<R>() + d.key(stacked == Stacked::First ? b : s * d.b + b, h / d.share),
                             out.data<R>() + ((s * d.b + b) * d.h + h) * d.q * d.k});
      kernels::gemm_batch<R>({.m = d.q,
                              .n = d.k,
                              .k = d.e,
                              .transpose_b = true,
                              .lda = d.h * d.e,
                              .ldb = d.g * d.e,
                              .ldc = d.k,
                              .alpha = layout_.scale * a,
                              .beta = beta},
                             tasks);
    });
  }

  HeadLayout layout_;
};

}  // namespace

const HeadLayout* as_attention_scores(const Op* op) {
  const auto* found = dynamic_cast<const AttentionScoresOp*>(op);
  return found == nullptr ? nullptr : &found->layout();
}

Var attention_scores(const Var& q, const Var& k, const HeadLayout& layout, Place place) {
  return q.tape->record(std::make_shared<AttentionScoresOp>(layout), {q, k}, place);
}

}  // namespace headwater
