// y = a + b, shapes equal: the residual sum.
//
//   pull  m → (m, m)          push  (u, v) → u + v
//
// Relevance forms. R_a = a R/y, R_b = b R/y (Rules::Relevance::Lrp). Chefer et al. (2021) scale both so that
// their totals s_a, s_b share s = Σ R by size:
//   R_a ← R_a (|s_a| / (|s_a| + |s_b|)) s / s_a,  R_b likewise
// Since s_a + s_b = s this changes nothing unless s_a and s_b differ in sign.

#include "ops/ops.h"
#include "ops/relevance.h"

namespace headwater {
namespace {

class AddOp final : public RowByRowOp {
 public:
  std::string_view name() const override { return "add"; }

  Tensor forward(std::span<const Tensor> x) const override {
    require_shape("add", "b", x[1].shape(), x[0].shape());
    return sum_of(x[0], x[1]);
  }

  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& rules) const override {
    stack_of(signal, call.y);
    if (is_relevance(rules))
      return relevance_of_sum(signal, call.x[0].to(signal.dtype()), call.x[1].to(signal.dtype()), rules,
                              rules.relevance == Rules::Relevance::Chefer);
    return {signal, signal};
  }

  Tensor push(const Call& /*call*/, std::span<const Tensor> parts, const Rules& /*rules*/) const override {
    if (parts[0].empty()) return parts[1];
    if (parts[1].empty()) return parts[0];
    return sum_of(parts[0], parts[1]);
  }
};

double total_of(const double* values, Index count) {
  double sum = 0;
  for (Index i = 0; i < count; ++i) sum += values[i];
  return sum;
}
double total_of(const float* values, Index count) {
  constexpr Index lanes = 8;  // one chain of additions waits four cycles for each
  double part[lanes] = {}, sum = 0;
  const Index whole = count / lanes * lanes;
  for (Index i = 0; i < whole; i += lanes)
    for (Index j = 0; j < lanes; ++j) part[j] += static_cast<double>(values[i + j]);
  for (Index i = whole; i < count; ++i) sum += static_cast<double>(values[i]);
  for (const double lane : part) sum += lane;
  return sum;
}

// What the normalisation multiplies a branch of total `own` by, beside a branch of total `other`.
double normaliser(double own, double other, double total, const Rules& rules) {
  const bool plain = rules.guard == Rules::Guard::Plain;
  const double share =
      guarded(std::abs(own), std::abs(own) + std::abs(other), plain, reference_epsilon) * total;
  return guarded(share, own, plain, reference_epsilon);
}

}  // namespace

std::vector<Tensor> relevance_of_sum(const Tensor& relevance, const Tensor& a, const Tensor& b,
                                     const Rules& rules, bool normalised) {
  const Tensor shares = ratio(relevance, sum_of(a, b), rules);
  Tensor to_a = times_value(shares, a), to_b = times_value(shares, b);
  if (!normalised) return {to_a, to_b};
  const Index inputs = relevance.size() / a.size() * a.dim(0), each = a.size() / a.dim(0);
  dispatch(a.dtype(), [&]<class R>(R) {
    for (Index i = 0; i < inputs; ++i) {
      R *of_a = to_a.data<R>() + i * each, *of_b = to_b.data<R>() + i * each;
      const double s_a = total_of(of_a, each), s_b = total_of(of_b, each);
      const double s = total_of(relevance.data<R>() + i * each, each);
      const bool plain = rules.guard == Rules::Guard::Plain;
      if (plain && ((s_a >= 0 && s_b >= 0) || (s_a <= 0 && s_b <= 0))) continue;  // shares itself by size
      kernels::scale(static_cast<const R*>(of_a), normaliser(s_a, s_b, s, rules), of_a, each);
      kernels::scale(static_cast<const R*>(of_b), normaliser(s_b, s_a, s, rules), of_b, each);
    }
  });
  return {to_a, to_b};
}

bool is_add(const Op* op) {
  return dynamic_cast<const AddOp*>(op) != nullptr;
}

Var add(const Var& a, const Var& b, Place place) {
  return a.tape->record(std::make_shared<AddOp>(), {a, b}, place);
}

}  // namespace headwater
