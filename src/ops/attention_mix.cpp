// z[b, i, h] = Σ_j p[b, h, i, j] v[b, j, g(h)], g(h) = h / (H/G): query heads may share a value head.
//
//   pull  m → ( a m_i · v_j,  a Σ_h Σ_i p_ij m_i )          push  (u, w) → a Σ_j (u_ij v_j + p_ij w_j)
// a = 1 is the exact Jacobian; Rules::Product::Halved takes a = 1/2. Under Rules::Softmax::Constant the
// pattern is a given number: v takes all, nothing goes to the pattern or comes from it. Relevance forms: R_p
// = p ⊙ (R/z · v)/2, R_v = v ⊙ (pᵀ R/z)/2.

#include <fmt/format.h>
#include <headwater/error.h>

#include "ops/head_products.h"

namespace headwater {
namespace {

class AttentionMixOp final : public HeadProductOp {
 public:
  using HeadProductOp::HeadProductOp;
  std::string_view name() const override { return "attention_mix"; }

  Tensor forward(std::span<const Tensor> x) const override {
    const Shape &p = x[0].shape(), &v = x[1].shape();
    if (p.rank() != 4 || v.rank() != 3 || p[0] != v[0] || p[1] != layout_.heads || p[3] != v[1] ||
        v[2] % layout_.groups != 0)
      throw InternalError(
          fmt::format("attention_mix: expected pattern [B, {}, T, T] and v [B, T, {}·E], found {} and {}",
                      layout_.heads, layout_.groups, p.str(), v.str()));
    Tensor z({p[0], p[2], v[2] / layout_.groups * layout_.heads}, x[0].dtype());
    products(x).mix(x[0], x[1], z, 1);
    return z;
  }

  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& rules) const override {
    if (is_relevance(rules)) {
      const Call exact = in_type(call, signal.dtype());
      return halves(exact, ratio(signal, exact.y, rules));
    }
    stack_of(signal, call.y);
    Tensor dp, dv(stacked_like(signal, call.y, call.x[1]), signal.dtype());
    if (!given(rules)) {
      dp = Tensor(stacked_like(signal, call.y, call.x[0]), signal.dtype());
      products(call.x).compare(signal, call.x[1], dp, share(rules));
    }
    products(call.x).spread(call.x[0], signal, dv, given(rules) ? 1 : share(rules));
    return {dp, dv};
  }

  Tensor push(const Call& call, std::span<const Tensor> parts, const Rules& rules) const override {
    const double a = given(rules) ? 1 : share(rules);
    return pushed(call, given(rules) ? Tensor() : parts[0], parts[1],
                  [&](const Tensor& p, const Tensor& v, Tensor& z, double beta) {
                    products(call.x).mix(p, v, z, a, beta);
                  });
  }

 private:
  static bool given(const Rules& rules) { return rules.softmax == Rules::Softmax::Constant; }
  HeadProducts products(std::span<const Tensor> x) const {
    return {layout_, x[0].dim(2), x[0].dim(3), x[1].dim(2) / layout_.groups};
  }
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
