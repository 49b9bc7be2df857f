// y = x Wᵀ + b over the last axis.
//
// It is its own stand-in, but for the bias, which belongs to no input (Rules::Bias::AbsDot shares it out
// among stacked parts, shared_bias.h):
//   pull  m → m W          push  u → u Wᵀ
//
// Rules::Linear::Lrp is layer-wise relevance propagation (Bach et al., 2015) with the generalised γ-rule
// (Montavon et al., 2019; Andéol et al., 2021): R_j = Σ_i c_ij / (D_i ± ε) R_i, where products of the sign of
// y_i count 1 + γ times, c_ij = x_j w_ij + γ (x_j w_ij)^{sign y_i}, and D_i = Σ_j c_ij + b_i + γ b_i^{sign
// y_i} has the sign of y_i. As a stand-in, with f = y / (D + ε sign y) and (xw)^± = (xw ± |xw|)/2,
//   pull  m → (1 + γ/2) (f m) W + γ/2 sign x ⊙ ((f sign y m) |W|)
// and push is its transpose. γ = 0 is the ε-rule.
//
// Relevance forms (Chefer et al., 2021), over products x_j w_ij > 0 alone, the z⁺-rule:
//   Z = Σ_j (x_j w_ij)⁺,   R_j = Σ_i (x_j w_ij)⁺ R_i / Z_i
// and Rules::Relevance::Lrp, their baseline, in which products of two positive and of two negative numbers
// each share out all of R_i. |ab| + ab = 2 (ab)⁺ makes it three products of which one is with |W|:
//   Z = (y − b + |x| |W|ᵀ)/2,   R = (x ⊙ (R/Z W) + |x| ⊙ (R/Z |W|))/2
// That cancels where few products are positive, so few inputs, the baseline and the reference's guard take
// the four products of x⁺, x⁻ with W⁺, W⁻. |W| is made for the call and dropped: one copy stays resident.
//
// Copies of an input that differ in a few words have most rows in common until attention mixes them. A row's
// bits depend on that row alone, so forward multiplies equal rows once (DistinctRows): q, k and v of the
// first block of a perturbation's copies cost little.

#include <cmath>
#include <cstring>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>
#include <headwater/error.h>

#include "ops/ops.h"
#include "ops/relevance.h"
#include "ops/shared_bias.h"

namespace headwater {
namespace {

constexpr Index few_inputs = 64;

Tensor times(const Tensor& x, const Matrix& w) {
  return computed(x.shape().with_back(w.cols()), x.dtype(),
                  [&]<class R>(R* y) { w.times(x.data<R>(), y, x.size() / w.rows()); });
}

Tensor times_transposed(const Tensor& x, const Matrix& w, const Tensor& bias = {}) {
  return computed(x.shape().with_back(w.rows()), x.dtype(), [&]<class R>(R* y) {
    const R* b = bias.empty() ? nullptr : bias.data<R>();
    w.times_transposed(x.data<R>(), b, y, x.size() / w.cols());
  });
}

// Which rows of x [rows, width] are the first of their kind, and which of those every row equals, bit for
// bit.
struct DistinctRows {
  std::vector<Index> first, kind;  // of each kind its row; of each row its kind
};

// Nothing where too few rows would be saved; a quarter of the rows tells as a rule.
std::optional<DistinctRows> distinct_rows(const Tensor& x) {
  constexpr Index enough_rows = 64;
  const Index width = x.shape().back(), rows = width == 0 ? 0 : x.size() / width;
  if (rows < enough_rows) return {};
  DistinctRows found;
  std::unordered_map<std::string_view, Index> kinds;
  dispatch(x.dtype(), [&]<class R>(R) {
    const auto* bytes = reinterpret_cast<const char*>(x.data<R>());
    const std::size_t each = static_cast<std::size_t>(width) * sizeof(R);
    // By their first numbers, which differ where rows do unless they were made to look alike: those are told
    // apart below.
    const std::size_t looked_at = std::min(each, std::size_t{64});
    for (Index row = 0; row < rows; ++row) {
      const char* at = bytes + static_cast<std::size_t>(row) * each;
      const auto kind = static_cast<Index>(found.first.size());
      const auto [known, fresh] = kinds.emplace(std::string_view(at, looked_at), kind);
      const bool same =
          !fresh &&
          std::memcmp(
              at,
              bytes + static_cast<std::size_t>(found.first[static_cast<std::size_t>(known->second)]) * each,
              each) == 0;
      if (!same) found.first.push_back(row);
      found.kind.push_back(same ? known->second : kind);
      if (row == rows / 4 && kind > row - row / 8) return;
    }
  });
  const bool saves = static_cast<Index>(found.kind.size()) == rows &&
                     static_cast<Index>(found.first.size()) <= rows - rows / 4;
  return saves ? std::optional(std::move(found)) : std::nullopt;
}

Tensor forward_of(const Tensor& x, const LinearWeights& w) {
  const std::optional<DistinctRows> distinct = distinct_rows(x);
  if (!distinct) return times_transposed(x, *w.weight, w.bias);
  const Index in = w.weight->cols(), out = w.weight->rows();
  Tensor few({static_cast<Index>(distinct->first.size()), in}, x.dtype());
  return computed(x.shape().with_back(out), x.dtype(), [&]<class R>(R* to) {
    R* row = few.data<R>();
    for (const Index at : distinct->first) row = std::copy_n(x.data<R>() + at * in, in, row);
    const Tensor products = times_transposed(few, *w.weight, w.bias);
    for (const Index kind : distinct->kind) to = std::copy_n(products.data<R>() + kind * out, out, to);
  });
}

// f(a, b) elementwise, shapes equal.
template <class F>
Tensor zip(const Tensor& a, const Tensor& b, const F& f) {
  return computed(a.shape(), a.dtype(), [&]<class R>(R* to) {
    const R *from_a = a.data<R>(), *from_b = b.data<R>();
    parallel_for(a.size(), 16384, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) to[i] = static_cast<R>(f(from_a[i], from_b[i]));
    });
  });
}

template <class F>
Tensor each_value(const Tensor& a, const F& f) {
  return zip(a, a, [&](auto v, auto) { return f(v); });
}

class LinearOp final : public RowByRowOp {
 public:
  explicit LinearOp(LinearWeights w) : w_(std::move(w)) {}
  std::string_view name() const override { return "linear"; }
  const LinearWeights& weights() const { return w_; }

  Tensor forward(std::span<const Tensor> x) const override {
    if (x[0].rank() == 0 || x[0].shape().back() != w_.weight->cols())
      throw InternalError(
          fmt::format("linear: expected x [.., {}], found {}", w_.weight->cols(), x[0].shape().str()));
    return forward_of(x[0], w_);
  }

  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& rules) const override {
    if (is_relevance(rules)) return {relevance(call, signal, rules)};
    if (rules.linear == Rules::Linear::Exact) return {times(signal, *w_.weight)};
    const Tensor scaled = times_value(signal, lrp_factor(call, rules));
    if (rules.gamma == 0) return {times(scaled, *w_.weight)};
    const Tensor turned = times_value(scaled, each_value(call.y, [](auto y) { return y < 0 ? -1 : 1; }));
    const Tensor absolute = times(turned, w_.weight->part(Matrix::Part::Absolute, signal.dtype()));
    return {favoured(times(scaled, *w_.weight), times_value(absolute, signs(call.x[0])), rules)};
  }

  Tensor push(const Call& call, std::span<const Tensor> parts, const Rules& rules) const override {
    Tensor pushed = times_transposed(parts[0], *w_.weight);
    if (rules.linear == Rules::Linear::Lrp) {
      if (rules.gamma != 0) {
        const Tensor turned = times_transposed(times_value(parts[0], signs(call.x[0])),
                                               w_.weight->part(Matrix::Part::Absolute, parts[0].dtype()));
        pushed = favoured(
            pushed, times_value(turned, each_value(call.y, [](auto y) { return y < 0 ? -1 : 1; })), rules);
      }
      pushed = times_value(pushed, lrp_factor(call, rules));
    }
    if (rules.bias == Rules::Bias::AbsDot) share_bias(pushed, w_.bias, stack_of(pushed, call.y));
    return pushed;
  }

 private:
  static Tensor signs(const Tensor& x) {
    return each_value(x, [](auto v) { return v < 0 ? -1 : (v > 0 ? 1 : 0); });
  }
  // (1 + γ/2) a + γ/2 b
  static Tensor favoured(const Tensor& a, const Tensor& b, const Rules& rules) {
    const double half = rules.gamma / 2;
    return zip(a, b, [half](auto u, auto v) { return (1 + half) * u + half * v; });
  }

  // y / (D + ε sign y)
  Tensor lrp_factor(const Call& call, const Rules& rules) const {
    const double epsilon = rules.epsilon, gamma = rules.gamma;
    const auto factor = [epsilon](double y, double d) {
      const double stable = d + (y < 0 ? -epsilon : epsilon);
      return stable == 0 ? 0.0 : y / stable;
    };
    if (gamma == 0) return each_value(call.y, [&](auto y) { return factor(y, y); });
    const Tensor absolute = times_transposed(each_value(call.x[0], [](auto v) { return std::abs(v); }),
                                             w_.weight->part(Matrix::Part::Absolute, call.y.dtype()));
    return computed(call.y.shape(), call.y.dtype(), [&]<class R>(R* to) {
      const Index out = w_.weight->rows();
      const R *y = call.y.data<R>(), *b = w_.bias.empty() ? nullptr : w_.bias.data<R>();
      for (Index i = 0; i < call.y.size(); ++i) {
        const R bias = b == nullptr ? R{0} : b[i % out], z = y[i] - bias;
        const double side = y[i] < 0 ? -1 : 1;
        const double products =
            (static_cast<double>(z) + side * static_cast<double>(absolute.data<R>()[i])) / 2;
        const auto own = static_cast<double>(bias);
        const R d =
            static_cast<R>(static_cast<double>(y[i]) + gamma * (products + (side * own > 0 ? own : 0)));
        to[i] = static_cast<R>(factor(static_cast<double>(y[i]), static_cast<double>(d)));
      }
    });
  }

  Tensor relevance(const Call& call, const Tensor& arrived, const Rules& rules) const {
    const Index seeds = stack_of(arrived, call.y), in = w_.weight->cols(), out = w_.weight->rows();
    const Index rows = call.y.size() / out;
    const bool direct =
        in < few_inputs || rules.guard == Rules::Guard::Reference || rules.relevance == Rules::Relevance::Lrp;
    const Shape shape = stacked_like(arrived, call.y, call.x[0]);
    Tensor back;
    for (Index s = 0; s < seeds; ++s) {
      const Rows some = rows_with_relevance(call, arrived.reshaped({seeds * rows, out}).rows(s * rows, rows));
      const bool all = static_cast<Index>(some.at.size()) == rows;
      if (back.empty() && !(seeds == 1 && all)) back = Tensor::zeros(shape, arrived.dtype());
      if (some.at.empty()) continue;
      const Tensor shared = direct ? four_products(some, rules) : three_products(some);
      if (seeds == 1 && all) return shared.reshaped(shape);
      dispatch(back.dtype(), [&]<class R>(R) {
        for (std::size_t i = 0; i < some.at.size(); ++i)
          std::copy_n(shared.data<R>() + static_cast<Index>(i) * in, in,
                      back.data<R>() + (s * rows + some.at[i]) * in);
      });
    }
    return back;
  }

  // Rows that carry relevance: above a head that reads one token they are few.
  struct Rows {
    std::vector<Index> at;
    Tensor x, y, relevance;  // [rows, in], [rows, out] twice; y as the run computed it
  };

  Rows rows_with_relevance(const Call& call, const Tensor& arrived) const {
    const Index in = w_.weight->cols(), out = w_.weight->rows(), rows = arrived.dim(0);
    Rows some;
    dispatch(arrived.dtype(), [&]<class R>(R) {
      const R* from = arrived.data<R>();
      for (Index row = 0; row < rows; ++row)
        if (std::any_of(from + row * out, from + (row + 1) * out, [](R v) { return v != 0; }))
          some.at.push_back(row);
    });
    const auto picked = [&](const Tensor& all, Index width) {
      Tensor flat = all.reshaped({rows, width});
      if (static_cast<Index>(some.at.size()) == rows) return flat;
      Tensor few({static_cast<Index>(some.at.size()), width}, all.dtype());
      dispatch(all.dtype(), [&]<class R>(R) {
        for (std::size_t i = 0; i < some.at.size(); ++i)
          std::copy_n(std::as_const(flat).template data<R>() + some.at[i] * width, width,
                      few.data<R>() + static_cast<Index>(i) * width);
      });
      return few;
    };
    some.x = picked(call.x[0], in).to(arrived.dtype());
    some.y = picked(call.y, out);
    some.relevance = picked(arrived, out);
    return some;
  }

  Tensor four_products(const Rows& some, const Rules& rules) const {
    const DType type = some.x.dtype();
    const Matrix positive = w_.weight->part(Matrix::Part::Positive, type);
    const Matrix negative = w_.weight->part(Matrix::Part::Negative, type);
    const Tensor above = each_value(some.x, [](auto v) { return v > 0 ? v : 0; });
    const Tensor below = each_value(some.x, [](auto v) { return v < 0 ? v : 0; });
    Tensor z_above = times_transposed(above, positive), z_below = times_transposed(below, negative);
    if (rules.relevance == Rules::Relevance::Chefer) z_above = z_below = sum_of(z_above, z_below);
    return sum_of(times_value(times(ratio(some.relevance, z_above, rules), positive), above),
                  times_value(times(ratio(some.relevance, z_below, rules), negative), below));
  }

  Tensor three_products(const Rows& some) const {
    const DType type = some.x.dtype();
    const bool same = type == w_.weight->dtype();
    const std::optional<Matrix> converted =
        same ? std::nullopt : std::optional(w_.weight->part(Matrix::Part::Whole, type));
    const Matrix& w = same ? *w_.weight : *converted;
    const Matrix absolute_w = w.part(Matrix::Part::Absolute, type);
    const Tensor absolute = each_value(some.x, [](auto v) { return std::abs(v); });
    const Tensor shares =
        same ? shares_of(some, some.y, w_.bias, times_transposed(absolute, absolute_w))
             : shares_of(some, times_transposed(some.x, w), {}, times_transposed(absolute, absolute_w));
    const Tensor plain = times(shares, w);
    Tensor back = times(shares, absolute_w);
    dispatch(type, [&]<class R>(R) {
      const R *x = some.x.data<R>(), *u = plain.data<R>();
      R* to = back.data<R>();
      parallel_for(back.size(), 16384, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) to[i] = (x[i] * u[i] + std::abs(x[i]) * to[i]) / 2;
      });
    });
    return back;
  }

  // R / Z with Z = (y − b + |x| |W|ᵀ)/2.
  static Tensor shares_of(const Rows& some, const Tensor& y, const Tensor& bias, Tensor absolute_z) {
    dispatch(absolute_z.dtype(), [&]<class R>(R) {
      const Index out = absolute_z.shape().back();
      const R noise = static_cast<R>(8 * epsilon_of(absolute_z.dtype()));
      const R *z = y.data<R>(), *relevance = some.relevance.data<R>();
      const R* b = bias.empty() ? nullptr : bias.data<R>();
      R* to = absolute_z.data<R>();
      parallel_for(absolute_z.size() / out, 1 + 16384 / out, [&](Index begin, Index end) {
        for (Index row = begin; row < end; ++row)
          for (Index i = 0; i < out; ++i) {
            const Index at = row * out + i;
            const R twice = z[at] - (b == nullptr ? R{0} : b[i]) + to[at];
            // What is left of a cancellation is noise: no product was positive.
            to[at] = twice > noise * to[at] ? 2 * relevance[at] / twice : 0;
          }
      });
    });
    return absolute_z;
  }

  LinearWeights w_;
};

}  // namespace

const LinearWeights* as_linear(const Op* op) {
  const auto* found = dynamic_cast<const LinearOp*>(op);
  return found == nullptr ? nullptr : &found->weights();
}

Var linear(const Var& x, const LinearWeights& w, Place place) {
  return x.tape->record(std::make_shared<LinearOp>(w), {x}, place);
}

}  // namespace headwater
