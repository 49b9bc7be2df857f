// z[b, i, h] = Σ_j p[b, h, i, j] v[b, j, g(h)], g(h) = h / (H/G): query heads may share a value head.
//
//   pull  m → ( a m_i · v_j,  a Σ_h Σ_i p_ij m_i )          push  (u, w) → a Σ_j (u_ij v_j + p_ij w_j)
// a = 1 is the exact Jacobian; Rules::Product::Halved takes a = 1/2. Under Rules::Softmax::Constant the
// pattern is a given number: v takes all, nothing goes to the pattern or comes from it. Relevance forms: R_p
// = p ⊙ (R/z · v)/2, R_v = v ⊙ (pᵀ R/z)/2.

#include <fmt/format.h>
#include <headwater/error.h>

#include "ops/ops.h"
#include "ops/relevance.h"

namespace headwater {
namespace {

class AttentionMixOp final : public Op {
 public:
  explicit AttentionMixOp(const HeadLayout& layout) : layout_(layout) {}
  std::string_view name() const override { return "attention_mix"; }
  const HeadLayout& layout() const { return layout_; }
  Rows rows_needed(std::size_t input, const Rows& wanted) const override {
    return input == 0 ? wanted : Rows{};  // a row is of one query's pattern and all values
  }
  std::shared_ptr<const Op> for_rows(const Rows& /*wanted*/) const override { return shared_from_this(); }

  Tensor forward(std::span<const Tensor> x) const override {
    const Shape &p = x[0].shape(), &v = x[1].shape();
    if (p.rank() != 4 || v.rank() != 3 || p[0] != v[0] || p[1] != layout_.heads || p[3] != v[1] ||
        v[2] % layout_.groups != 0)
      throw InternalError(
          fmt::format("attention_mix: expected pattern [B, {}, T, T] and v [B, T, {}·E], found {} and {}",
                      layout_.heads, layout_.groups, p.str(), v.str()));
    const Dims d = dims(x);
    Tensor z({d.b, d.q, d.h * d.e}, x[0].dtype());
    product(x[0], x[1], z, d, 1, 1, 0);
    return z;
  }

  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& rules) const override {
    if (is_relevance(rules)) return relevance(call, signal, rules);
    return {given(rules) ? Tensor() : to_pattern(call, signal, rules), to_values(call, signal, rules)};
  }

  Tensor push(const Call& call, std::span<const Tensor> parts, const Rules& rules) const override {
    const Dims d = dims(call.x);
    const bool from_p = !parts[0].empty() && !given(rules);
    if (!from_p && parts[1].empty()) return {};
    const Tensor& some = from_p ? parts[0] : parts[1];
    const Tensor& its = from_p ? call.x[0] : call.x[1];
    const Index seeds = stack_of(some, its);
    Tensor out(stacked_like(some, its, call.y), some.dtype());
    double beta = 0;
    if (from_p) {
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
    Index value(Index batch, Index group) const { return batch * k * g * e + group * e; }
    Index pattern(Index batch, Index head) const { return (batch * h + head) * q * k; }
  };
  enum class Stacked { Both, First, Second };

  Dims dims(std::span<const Tensor> x) const {
    return {.b = x[0].dim(0),
            .h = layout_.heads,
            .g = layout_.groups,
            .share = layout_.heads / layout_.groups,
            .q = x[0].dim(2),
            .k = x[0].dim(3),
            .e = x[1].dim(2) / layout_.groups};
  }
  static bool given(const Rules& rules) { return rules.softmax == Rules::Softmax::Constant; }
  static double share(const Rules& rules) {
    return rules.product == Rules::Product::Halved && !given(rules) ? 0.5 : 1;
  }

  Tensor to_pattern(const Call& call, const Tensor& signal, const Rules& rules) const {
    const Dims d = dims(call.x);
    const Index seeds = stack_of(signal, call.y);
    Tensor dp(stacked_like(signal, call.y, call.x[0]), signal.dtype());
    dispatch(signal.dtype(), [&](auto r) {
      using R = decltype(r);
      const R *m = signal.data<R>(), *v = call.x[1].data<R>();
      std::vector<kernels::GemmTask<R>> tasks;
      for (Index s = 0; s < seeds; ++s)
        for (Index b = 0; b < d.b; ++b)
          for (Index h = 0; h < d.h; ++h)
            tasks.push_back({m + d.query(s * d.b + b, h), v + d.value(b, h / d.share),
                             dp.data<R>() + d.pattern(s * d.b + b, h)});
      kernels::gemm_batch<R>({.m = d.q,
                              .n = d.k,
                              .k = d.e,
                              .transpose_b = true,
                              .lda = d.h * d.e,
                              .ldb = d.g * d.e,
                              .ldc = d.k,
                              .alpha = share(rules)},
                             tasks);
    });
    return dp;
  }

  Tensor to_values(const Call& call, const Tensor& signal, const Rules& rules) const {
    const Dims d = dims(call.x);
    const Index seeds = stack_of(signal, call.y);
    Tensor dv(stacked_like(signal, call.y, call.x[1]), signal.dtype());
    dispatch(signal.dtype(), [&](auto r) {
      using R = decltype(r);
      const R *m = signal.data<R>(), *p = call.x[0].data<R>();
      // Heads that share a value add up one after the other, so that no two products write to one place.
      for (Index j = 0; j < d.share; ++j) {
        std::vector<kernels::GemmTask<R>> tasks;
        for (Index s = 0; s < seeds; ++s)
          for (Index b = 0; b < d.b; ++b)
            for (Index g = 0; g < d.g; ++g)
              tasks.push_back({p + d.pattern(b, g * d.share + j), m + d.query(s * d.b + b, g * d.share + j),
                               dv.data<R>() + d.value(s * d.b + b, g)});
        kernels::gemm_batch<R>({.m = d.k,
                                .n = d.e,
                                .k = d.q,
                                .transpose_a = true,
                                .lda = d.k,
                                .ldb = d.h * d.e,
                                .ldc = d.g * d.e,
                                .alpha = share(rules),
                                .beta = j == 0 ? 0.0 : 1.0},
                               tasks);
      }
    });
    return dv;
  }

  std::vector<Tensor> relevance(const Call& call, const Tensor& arrived, const Rules& rules) const {
    Call exact{.x = {call.x[0].to(arrived.dtype()), call.x[1].to(arrived.dtype())}, .y = call.y};
    if (call.y.dtype() != arrived.dtype()) exact.y = forward(exact.x);
    const std::vector<Tensor> m =
        pull(exact, ratio(arrived, exact.y, rules), {.product = Rules::Product::Halved});
    return {times_value(m[0], exact.x[0]), times_value(m[1], exact.x[1])};
  }

  // out = a p·v + beta out over all seeds, of which only one factor may carry any.
  static void product(const Tensor& p, const Tensor& v, Tensor& out, const Dims& d, Index seeds, double a,
                      double beta, Stacked stacked = Stacked::Both) {
    dispatch(out.dtype(), [&](auto r) {
      using R = decltype(r);
      std::vector<kernels::GemmTask<R>> tasks;
      for (Index s = 0; s < seeds; ++s)
        for (Index b = 0; b < d.b; ++b)
          for (Index h = 0; h < d.h; ++h)
            tasks.push_back({p.data<R>() + d.pattern(stacked == Stacked::Second ? b : s * d.b + b, h),
                             v.data<R>() + d.value(stacked == Stacked::First ? b : s * d.b + b, h / d.share),
                             out.data<R>() + d.query(s * d.b + b, h)});
      kernels::gemm_batch<R>({.m = d.q,
                              .n = d.e,
                              .k = d.k,
                              .lda = d.k,
                              .ldb = d.g * d.e,
                              .ldc = d.h * d.e,
                              .alpha = a,
                              .beta = beta},
                             tasks);
    });
  }

  HeadLayout layout_;
};

}  // namespace

const HeadLayout* as_attention_mix(const Op* op) {
  const auto* found = dynamic_cast<const AttentionMixOp*>(op);
  return found == nullptr ? nullptr : &found->layout();
}

Var attention_mix(const Var& pattern, const Var& v, const HeadLayout& layout, Place place) {
  return pattern.tape->record(std::make_shared<AttentionMixOp>(layout), {pattern, v}, place);
}

}  // namespace headwater
