// s[b, h, i, j] = c · q[b, i, h] · k[b, j, g(h)], g(h) = h / (H/G): query heads may share a key head.
//
//   pull  m → ( c a Σ_j m_ij k_j,  c a Σ_h Σ_i m_ij q_i )          push  (u, v) → c a (u·k + q·v)
// a = 1 is the exact Jacobian; Rules::Product::Halved takes a = 1/2. Under Rules::Softmax::Constant the
// pattern is given, whatever the scores: nothing passes. Relevance forms: R_q = q ⊙ (R/(q·k) k)/2, R_k = k ⊙
// (R/(q·k)ᵀ q)/2; c drops out.

#include <fmt/format.h>
#include <headwater/error.h>

#include "ops/head_products.h"

namespace headwater {
namespace {

class AttentionScoresOp final : public HeadProductOp {
 public:
  using HeadProductOp::HeadProductOp;
  std::string_view name() const override { return "attention_scores"; }

  Tensor forward(std::span<const Tensor> x) const override {
    const Shape &q = x[0].shape(), &k = x[1].shape();
    if (q.rank() != 3 || k.rank() != 3 || q[0] != k[0] || q[2] % layout_.heads != 0 ||
        k[2] != q[2] / layout_.heads * layout_.groups)
      throw InternalError(
          fmt::format("attention_scores: expected q [B, T, {}·E] and k [B, T, {}·E], found {} and {}",
                      layout_.heads, layout_.groups, q.str(), k.str()));
    Tensor s({q[0], layout_.heads, q[1], k[1]}, x[0].dtype());
    products(x).compare(x[0], x[1], s, layout_.scale);
    return s;
  }

  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& rules) const override {
    if (is_relevance(rules)) return relevance(call, signal, rules);
    if (rules.softmax == Rules::Softmax::Constant) return {Tensor(), Tensor()};
    stack_of(signal, call.y);
    Tensor dq(stacked_like(signal, call.y, call.x[0]), signal.dtype());
    Tensor dk(stacked_like(signal, call.y, call.x[1]), signal.dtype());
    products(call.x).mix(signal, call.x[1], dq, layout_.scale * share(rules));
    products(call.x).spread(signal, call.x[0], dk, layout_.scale * share(rules));
    return {dq, dk};
  }

  Tensor push(const Call& call, std::span<const Tensor> parts, const Rules& rules) const override {
    if (rules.softmax == Rules::Softmax::Constant) return {};
    return pushed(call, parts[0], parts[1], [&](const Tensor& q, const Tensor& k, Tensor& s, double beta) {
      products(call.x).compare(q, k, s, layout_.scale * share(rules), beta);
    });
  }

 private:
  HeadProducts products(std::span<const Tensor> x) const {
    return {layout_, x[0].dim(1), x[1].dim(1), x[0].dim(2) / layout_.heads};
  }

  std::vector<Tensor> relevance(const Call& call, Tensor arrived, const Rules& rules) const {
    const Call exact = in_type(call, arrived.dtype());
    if (rules.mask_sum)
      arrived = relevance_of_sum(arrived, exact.y, Tensor::zeros(exact.y.shape(), exact.y.dtype()), rules,
                                 rules.relevance == Rules::Relevance::Chefer)[0];
    return halves(exact, ratio(arrived, exact.y, rules, layout_.scale));
  }
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
