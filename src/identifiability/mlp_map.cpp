// Forward, with rows of E for tokens:  P = E W1ᵀ + b1,  Q = gelu(P),  Y = Q W2ᵀ + b2.
// Backward, with G = ∂loss/∂Y:  ∂W2 = Gᵀ Q,  ∂b2 = Σ G,  S = (G W2) ⊙ gelu'(P),  ∂W1 = Sᵀ E,  ∂b1 = Σ S.
// Loss per row y with target x:
//   cosine  1 − y·x / (|y||x|)      gradient −(x/|x| − cos · y/|y|) / |y|
//   L2      |y − x|²                gradient 2 (y − x)
// Adam (Kingma and Ba, 2015): m ← β1 m + (1−β1) g, v ← β2 v + (1−β2) g²,
//   θ ← θ − η · m/(1−β1ᵗ) / (√(v/(1−β2ᵗ)) + ε).
#include "identifiability/mlp_map.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/as_size.h"
#include "base/parallel.h"
#include "kernels/kernels.h"
#include "numerics/random.h"

namespace headwater {
namespace {

constexpr double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
constexpr Index loss_rows = 1024;  // of a validation pass at a time

// y = x wᵀ + b: x [n, in], w [out, in].
template <class R>
void affine(const R* x, const R* w, const R* b, R* y, Index n, Index in, Index out) {
  kernels::gemm<R>({.m = n, .n = out, .k = in, .transpose_b = true}, x, w, y);
  kernels::add_bias(y, b, n, out);
}

// to [a, b] = xᵀ y: x [n, a], y [n, b].
template <class R>
void outer(const R* x, const R* y, R* to, Index n, Index a, Index b) {
  kernels::gemm<R>({.m = a, .n = b, .k = n, .transpose_a = true}, x, y, to);
}

template <class R>
void column_sums(const R* x, R* to, Index n, Index width) {
  std::fill_n(to, width, R{0});
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < width; ++c) to[c] += x[i * width + c];
}

// Loss of one row; its gradient, divided by n, replaces y.
template <class R>
double row_loss(R* y, const R* x, Index width, Index n, TokenDistance distance) {
  double dot = 0, yy = 0, xx = 0, square = 0;
  for (Index c = 0; c < width; ++c) {
    const double a = double{y[c]}, b = double{x[c]};
    dot += a * b;
    yy += a * a;
    xx += b * b;
    square += (a - b) * (a - b);
  }
  const double share = 1 / static_cast<double>(n);
  if (distance == TokenDistance::L2) {
    for (Index c = 0; c < width; ++c) y[c] = static_cast<R>(2 * share * (double{y[c]} - double{x[c]}));
    return square;
  }
  if (!(xx > 0) || !(yy > 0)) {
    std::fill_n(y, width, R{0});
    return 1;
  }
  const double ly = std::sqrt(yy), lx = std::sqrt(xx), cosine = dot / (ly * lx);
  for (Index c = 0; c < width; ++c)
    y[c] = static_cast<R>(-share * (double{x[c]} / lx - cosine * double{y[c]} / ly) / ly);
  return 1 - cosine;
}

template <class R>
class Adam {
 public:
  Adam(std::size_t size, double rate) : rate_(rate), m_(size, R{0}), v_(size, R{0}) {}

  void step(std::vector<R>& parameters, const std::vector<R>& gradient) {
    ++steps_;
    const double c1 = 1 - std::pow(beta1, steps_), c2 = 1 - std::pow(beta2, steps_);
    const auto rate = static_cast<R>(rate_ / c1), scale = static_cast<R>(1 / std::sqrt(c2));
    const auto b1 = static_cast<R>(beta1), b2 = static_cast<R>(beta2), eps = static_cast<R>(epsilon);
    parallel_for(static_cast<Index>(parameters.size()), 1 << 14, [&](Index begin, Index end) {
      R *p = parameters.data(), *m = m_.data(), *v = v_.data();
      const R* g = gradient.data();
      for (Index i = begin; i < end; ++i) {
        m[i] = b1 * m[i] + (1 - b1) * g[i];
        v[i] = b2 * v[i] + (1 - b2) * g[i] * g[i];
        p[i] -= rate * m[i] / (std::sqrt(v[i]) * scale + eps);
      }
    });
  }

 private:
  double rate_;
  int steps_ = 0;
  std::vector<R> m_, v_;
};

}  // namespace

template <class R>
MlpMap<R>::MlpMap(Index in, Index hidden, Index out, std::uint64_t seed)
    : parameters(as_size(hidden * in + hidden + out * hidden + out), R{0}),
      in_(in),
      hidden_(hidden),
      out_(out),
      b1_(hidden * in),
      w2_(b1_ + hidden),
      b2_(w2_ + out * hidden) {
  const auto fill = [&](Index begin, Index end, Index fans) {
    const double bound = std::sqrt(6.0 / static_cast<double>(fans));
    for (Index i = begin; i < end; ++i)
      parameters[as_size(i)] =
          static_cast<R>(bound * (2 * random_uniform(seed, static_cast<std::uint64_t>(i)) - 1));
  };
  fill(0, b1_, in + hidden);
  fill(w2_, b2_, hidden + out);
}

template <class R>
typename MlpMap<R>::Pass MlpMap<R>::forward(const R* e, Index n) const {
  Pass pass{.pre = std::vector<R>(as_size(n * hidden_)),
            .post = std::vector<R>(as_size(n * hidden_)),
            .out = std::vector<R>(as_size(n * out_))};
  const R* p = parameters.data();
  affine(e, p, p + b1_, pass.pre.data(), n, in_, hidden_);
  kernels::activate(Activation::Gelu, pass.pre.data(), pass.post.data(), n * hidden_);
  affine(pass.post.data(), p + w2_, p + b2_, pass.out.data(), n, hidden_, out_);
  return pass;
}

template <class R>
Tensor MlpMap<R>::operator()(const Tensor& hidden) const {
  const Index n = hidden.dim(0);
  const Tensor e = hidden.to(dtype_of<R>());
  Tensor y({n, out_}, DType::Float64);
  for (Index begin = 0; begin < n; begin += loss_rows) {
    const Index count = std::min(loss_rows, n - begin);
    const Pass pass = forward(std::as_const(e).data<R>() + begin * in_, count);
    std::copy(pass.out.begin(), pass.out.end(), y.data<double>() + begin * out_);
  }
  return y;
}

template <class R>
double MlpMap<R>::loss(const R* e, const R* x, Index n, TokenDistance distance) const {
  double sum = 0;
  for (Index begin = 0; begin < n; begin += loss_rows) {
    const Index count = std::min(loss_rows, n - begin);
    Pass pass = forward(e + begin * in_, count);
    for (Index i = 0; i < count; ++i)
      sum += row_loss(pass.out.data() + i * out_, x + (begin + i) * out_, out_, n, distance);
  }
  return sum / static_cast<double>(n);
}

template <class R>
double MlpMap<R>::loss(const R* e, const R* x, Index n, TokenDistance distance,
                       std::vector<R>& gradient) const {
  Pass pass = forward(e, n);
  double sum = 0;
  for (Index i = 0; i < n; ++i) sum += row_loss(pass.out.data() + i * out_, x + i * out_, out_, n, distance);
  gradient.resize(parameters.size());
  R* g = gradient.data();
  outer(pass.out.data(), pass.post.data(), g + w2_, n, out_, hidden_);
  column_sums(pass.out.data(), g + b2_, n, out_);
  std::vector<R>& slope = pass.post;  // no longer needed as values
  kernels::activation_slope(Activation::Gelu, kernels::Slope::Tangent, pass.pre.data(), slope.data(),
                            n * hidden_);
  std::vector<R>& signal = pass.pre;
  kernels::gemm<R>({.m = n, .n = hidden_, .k = out_}, pass.out.data(), parameters.data() + w2_,
                   signal.data());
  kernels::multiply(signal.data(), slope.data(), signal.data(), n * hidden_);
  outer(signal.data(), e, g, n, hidden_, in_);
  column_sums(signal.data(), g + b1_, n, hidden_);
  return sum / static_cast<double>(n);
}

template <class R>
Training train(MlpMap<R>& map, const Tensor& e, const Tensor& x, const Tensor& validation_e,
               const Tensor& validation_x, TokenDistance distance, const MlpOptions& options,
               std::uint64_t seed, const std::function<void(int)>& progress) {
  const Index n = e.dim(0), in = e.dim(1), out = x.dim(1), batch = options.batch;
  const auto validate = [&] {
    return map.loss(validation_e.data<R>(), validation_x.data<R>(), validation_e.dim(0), distance);
  };
  Adam<R> adam(map.parameters.size(), options.learning_rate);
  std::vector<R> gradient, best = map.parameters;
  std::vector<R> rows(as_size(batch * in)), targets(as_size(batch * out));
  Training training{.epochs = 0, .best = 0, .losses = {validate()}};
  double lowest = training.losses.front();
  for (int epoch = 1; epoch <= options.epochs && epoch - training.best <= options.patience; ++epoch) {
    const std::vector<std::size_t> order =
        random_order(random_bits(seed, static_cast<std::uint64_t>(epoch)), as_size(n));
    for (Index begin = 0; begin < n; begin += batch) {
      const Index count = std::min(batch, n - begin);
      for (Index i = 0; i < count; ++i) {
        const auto from = static_cast<Index>(order[as_size(begin + i)]);
        std::copy_n(e.data<R>() + from * in, in, rows.data() + i * in);
        std::copy_n(x.data<R>() + from * out, out, targets.data() + i * out);
      }
      map.loss(rows.data(), targets.data(), count, distance, gradient);
      adam.step(map.parameters, gradient);
    }
    training.epochs = epoch;
    training.losses.push_back(validate());
    if (training.losses.back() < lowest) {
      lowest = training.losses.back();
      training.best = epoch;
      best = map.parameters;
    }
    if (progress) progress(epoch);
  }
  map.parameters = std::move(best);
  return training;
}

std::size_t mlp_map_bytes(Index in, Index out, const MlpOptions& options, DType dtype) {
  const auto d = as_size(in), o = as_size(out), h = as_size(options.hidden);
  const auto rows = as_size(std::max<Index>(loss_rows, options.batch));
  return bytes_of(dtype) * (5 * (d * h + h * o + h + o) + rows * (2 * h + d + 2 * o));
}

template class MlpMap<float>;
template class MlpMap<double>;
template Training train(MlpMap<float>&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                        TokenDistance, const MlpOptions&, std::uint64_t, const std::function<void(int)>&);
template Training train(MlpMap<double>&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                        TokenDistance, const MlpOptions&, std::uint64_t, const std::function<void(int)>&);

}  // namespace headwater
