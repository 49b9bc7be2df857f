// Value zeroing by its definition, for one row i and one token j: the row of attention without j, then the
// rest of the block as the model computes it. Slow; a sample of pairs shows that the shortcut told the truth.
#include <cmath>

#include "mixing/value_zeroing_clean.h"

namespace headwater {

namespace {

template <class R>
std::vector<R> through(const LinearWeights& w, const std::vector<R>& x) {
  std::vector<R> y(static_cast<std::size_t>(w.weight->rows()));
  w.weight->times_transposed<R>(x.data(), w.bias.empty() ? nullptr : w.bias.data<R>(), y.data(), 1);
  return y;
}

template <class R>
std::vector<R> through(const NormWeights& w, const std::vector<R>& x) {
  std::vector<R> y(x.size());
  const auto n = static_cast<Index>(x.size());
  if (w.beta.empty())
    kernels::rms_norm<R>(x.data(), w.gamma.data<R>(), y.data(), 1, n, w.eps);
  else
    kernels::layer_norm<R>(x.data(), w.gamma.data<R>(), w.beta.data<R>(), y.data(), 1, n, w.eps);
  return y;
}

template <class R>
std::vector<R> through(const MlpWeights& w, const std::vector<R>& x) {
  std::vector<R> hidden = through(w.gate ? *w.gate : w.up, x);
  kernels::activate<R>(w.f, hidden.data(), hidden.data(), static_cast<Index>(hidden.size()));
  if (w.gate) {
    const std::vector<R> up = through(w.up, x);
    for (std::size_t f = 0; f < up.size(); ++f) hidden[f] *= up[f];
  }
  return through(w.down, hidden);
}

template <class R>
std::vector<R> sum_of(std::vector<R> a, const std::vector<R>& b) {
  for (std::size_t d = 0; d < a.size(); ++d) a[d] += b[d];
  return a;
}

// Output of row i from the row x of the residual path and the row z of attention, [H·E].
template <class R>
std::vector<R> rest_of_block(const BlockWeights& w, bool post_norm, const NormWeights* last,
                             const std::vector<R>& x, const std::vector<R>& z) {
  const std::vector<R> a = sum_of(x, through(w.attention.out, z));
  if (post_norm) {
    const std::vector<R> y = through(w.attention_norm, a);
    return through(w.mlp_norm, sum_of(y, through(w.mlp, y)));
  }
  const std::vector<R> h = sum_of(a, through(w.mlp, through(w.mlp_norm, a)));
  return last == nullptr ? h : through(*last, h);
}

template <class R>
double distance(const std::vector<R>& a, const std::vector<R>& b) {
  double aa = 0, bb = 0, gap = 0;
  for (std::size_t d = 0; d < a.size(); ++d) {
    aa += static_cast<double>(a[d]) * static_cast<double>(a[d]);
    bb += static_cast<double>(b[d]) * static_cast<double>(b[d]);
  }
  if (aa == 0 || bb == 0) return aa == bb ? 0 : 1;
  for (std::size_t d = 0; d < a.size(); ++d)
    gap += std::pow(static_cast<double>(a[d]) / std::sqrt(aa) - static_cast<double>(b[d]) / std::sqrt(bb), 2);
  return gap / 2;
}

template <class R>
double plain(const Study& study, int layer, Index i, Index j, const ZeroingOptions& options) {
  const Anatomy anatomy = study.model().anatomy();
  const auto l = static_cast<std::size_t>(layer);
  const BlockWeights& w = (*anatomy.blocks)[l];
  const HeadLayout& heads = anatomy.heads[l];
  const Index T = study.tokens(), D = study.info().width, E = study.info().head_width;
  const Index values = heads.groups * E;
  const Tensor pattern = study.at(Site::Pattern, layer), v = study.at(Site::V, layer);
  const Tensor residual = study.at(Site::ResidPre, layer);
  const R* from = residual.data<R>() + i * D;
  std::vector<R> z(static_cast<std::size_t>(heads.heads * E), R{0}), without(z);
  for (Index h = 0; h < heads.heads; ++h) {
    const bool zeroed = std::find(options.heads.begin(), options.heads.end(), h) != options.heads.end();
    for (Index k = 0; k < T; ++k)
      for (Index e = 0; e < E; ++e) {
        const R term = pattern.data<R>()[(h * T + i) * T + k] *
                       v.data<R>()[k * values + h * heads.groups / heads.heads * E + e];
        z[static_cast<std::size_t>(h * E + e)] += term;
        if (k != j || !zeroed) without[static_cast<std::size_t>(h * E + e)] += term;
      }
  }
  const std::vector<R> x(from, from + D);
  const bool final_norm = options.final_norm && l + 1 == anatomy.blocks->size();
  const NormWeights* last = final_norm ? anatomy.final_norm : nullptr;
  return distance(rest_of_block(w, !study.info().pre_norm, last, x, without),
                  rest_of_block(w, !study.info().pre_norm, last, x, z));
}

}  // namespace

double plain_distance(const Study& study, int layer, Index i, Index j, const ZeroingOptions& options) {
  return dispatch(study.info().dtype,
                  [&](auto r) { return plain<decltype(r)>(study, layer, i, j, options); });
}

}  // namespace headwater
