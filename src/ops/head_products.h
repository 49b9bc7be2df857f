// The three products of attention, head by head, and the op they make: scores compare and mixes mix, and each
// is the pull of the other. With p [.., H, T, S], q [.., T, H·E], k [.., S, G·E] and g(h) = h / (H/G),
// because query heads may share a key or value head:
//
//   compare  p[h] = a q[h] k[g(h)]ᵀ
//   mix      q[h] = a p[h] k[g(h)]
//   spread   k[g] = a Σ_h p[h]ᵀ q[h]
#pragma once

#include "ops/ops.h"
#include "ops/relevance.h"

namespace headwater {

class HeadProducts {
 public:
  HeadProducts(const HeadLayout& layout, Index queries, Index keys, Index width)
      : h_(layout.heads), g_(layout.groups), t_(queries), s_(keys), e_(width) {}

  // Each writes a product + beta · what was there, for all batch members and seeds of the result; a factor
  // that carries no seeds serves them all.
  void compare(const Tensor& q, const Tensor& k, Tensor& p, double a, double beta = 0) const {
    run({.m = t_, .n = s_, .k = e_, .transpose_b = true, .alpha = a, .beta = beta}, {q, query()}, {k, key()},
        p, pattern());
  }
  void mix(const Tensor& p, const Tensor& k, Tensor& q, double a, double beta = 0) const {
    run({.m = t_, .n = e_, .k = s_, .alpha = a, .beta = beta}, {p, pattern()}, {k, key()}, q, query());
  }
  void spread(const Tensor& p, const Tensor& q, Tensor& k, double a) const {
    // Heads that share a key add up one after the other, so that no two products write to one place.
    for (Index j = 0; j < h_ / g_; ++j)
      run({.m = s_, .n = e_, .k = t_, .transpose_a = true, .alpha = a, .beta = j == 0 ? 0.0 : 1.0},
          {p, pattern()}, {q, query()}, k, key(), j, h_ / g_);
  }

 private:
  // Where the matrix of a head stands: numbers of a batch member, from a head to the next, from a row to the
  // next.
  struct Side {
    Index member, head, row;
    bool grouped = false;  // heads are those of keys
  };
  struct Factor {
    const Tensor& x;
    Side side;
  };
  Side pattern() const { return {h_ * t_ * s_, t_ * s_, s_}; }
  Side query() const { return {t_ * h_ * e_, e_, h_ * e_}; }
  Side key() const { return {s_ * g_ * e_, e_, g_ * e_, true}; }

  Index place(const Tensor& x, const Side& side, Index member, Index head) const {
    const Index members = side.member > 0 ? x.size() / side.member : 1;
    return member % members * side.member + (side.grouped ? head / (h_ / g_) : head) * side.head;
  }

  void run(kernels::Gemm shape, const Factor& a, const Factor& b, Tensor& c, const Side& to, Index first = 0,
           Index step = 1) const {
    shape.lda = a.side.row;
    shape.ldb = b.side.row;
    shape.ldc = to.row;
    dispatch(c.dtype(), [&]<class R>(R) {
      std::vector<kernels::GemmTask<R>> tasks;
      for (Index i = 0; i * to.member < c.size(); ++i)
        for (Index h = first; h < h_; h += step)
          tasks.push_back({a.x.data<R>() + place(a.x, a.side, i, h), b.x.data<R>() + place(b.x, b.side, i, h),
                           c.data<R>() + place(c, to, i, h)});
      kernels::gemm_batch<R>(shape, tasks);
    });
  }

  Index h_, g_, t_, s_, e_;
};

// What scores and mixes have in common. A row is of one query, and of all keys or values.
class HeadProductOp : public Op {
 public:
  explicit HeadProductOp(const HeadLayout& layout) : layout_(layout) {}
  const HeadLayout& layout() const { return layout_; }
  Rows rows_needed(std::size_t input, const Rows& wanted) const override {
    return input == 0 ? wanted : Rows{};
  }
  std::shared_ptr<const Op> for_rows(const Rows& /*wanted*/) const override { return shared_from_this(); }

 protected:
  // a of the pull and push: 1 is the exact Jacobian.
  static double share(const Rules& rules) { return rules.product == Rules::Product::Halved ? 0.5 : 1; }

  // product(x0, x1, out, beta) with each part that is there in the place of its input, added up.
  template <class Product>
  static Tensor pushed(const Call& call, const Tensor& first, const Tensor& second, const Product& product) {
    if (first.empty() && second.empty()) return {};
    const Tensor& some = first.empty() ? second : first;
    const Tensor& its = call.x[first.empty() ? 1 : 0];
    stack_of(some, its);
    Tensor out(stacked_like(some, its, call.y), some.dtype());
    if (!first.empty()) product(first, call.x[1], out, 0.0);
    if (!second.empty()) product(call.x[0], second, out, first.empty() ? 0.0 : 1.0);
    return out;
  }

  // The call in this type, for relevance that is carried in another than the run's.
  Call in_type(const Call& call, DType dtype) const {
    Call exact{.x = {call.x[0].to(dtype), call.x[1].to(dtype)}, .y = call.y};
    if (call.y.dtype() != dtype) exact.y = forward(exact.x);
    return exact;
  }
  // Each factor times half of what `shares` of the product pull back to it.
  std::vector<Tensor> halves(const Call& exact, const Tensor& shares) const {
    const std::vector<Tensor> m = pull(exact, shares, {.product = Rules::Product::Halved});
    return {times_value(m[0], exact.x[0]), times_value(m[1], exact.x[1])};
  }

  HeadLayout layout_;
};

}  // namespace headwater
