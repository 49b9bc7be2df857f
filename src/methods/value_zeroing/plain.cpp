// Value zeroing by its definition, for rows i and tokens j: the row of attention without j, then the rest of
// the block as the model computes it. Slow; a sample of pairs shows that the shortcut told the truth. The
// rows of the sample go through the block together, because each weight is read once for all of them.
#include <cmath>

#include "methods/value_zeroing/clean.h"

namespace headwater {

namespace {

template <class R>
using Rows = std::vector<R>;  // [n, width], row-major

template <class R>
Rows<R> through(const LinearWeights& w, const Rows<R>& x) {
  const Index n = static_cast<Index>(x.size()) / w.weight->cols();
  Rows<R> y(static_cast<std::size_t>(n * w.weight->rows()));
  w.weight->times_transposed<R>(x.data(), w.bias.empty() ? nullptr : w.bias.data<R>(), y.data(), n);
  return y;
}

template <class R>
Rows<R> through(const NormWeights& w, const Rows<R>& x) {
  Rows<R> y(x.size());
  const Index width = w.gamma.size(), n = static_cast<Index>(x.size()) / width;
  if (w.beta.empty())
    kernels::rms_norm<R>(x.data(), w.gamma.data<R>(), y.data(), n, width, w.eps);
  else
    kernels::layer_norm<R>(x.data(), w.gamma.data<R>(), w.beta.data<R>(), y.data(), n, width, w.eps);
  return y;
}

template <class R>
Rows<R> through(const MlpWeights& w, const Rows<R>& x) {
  Rows<R> hidden = through(w.gate ? *w.gate : w.up, x);
  kernels::activate<R>(w.f, hidden.data(), hidden.data(), static_cast<Index>(hidden.size()));
  if (w.gate) {
    const Rows<R> up = through(w.up, x);
    for (std::size_t f = 0; f < up.size(); ++f) hidden[f] *= up[f];
  }
  return through(w.down, hidden);
}

template <class R>
Rows<R> sum_of(Rows<R> a, const Rows<R>& b) {
  for (std::size_t d = 0; d < a.size(); ++d) a[d] += b[d];
  return a;
}

// Outputs from the rows x of the residual path and the rows z of attention, [n, H·E].
template <class R>
Rows<R> rest_of_block(const BlockWeights& w, bool post_norm, const NormWeights* last, const Rows<R>& x,
                      const Rows<R>& z) {
  const Rows<R> a = sum_of(x, through(w.attention.out, z));
  if (post_norm) {
    const Rows<R> y = through(w.attention_norm, a);
    return through(w.mlp_norm, sum_of(y, through(w.mlp, y)));
  }
  const Rows<R> h = sum_of(a, through(w.mlp, through(w.mlp_norm, a)));
  return last == nullptr ? h : through(*last, h);
}

template <class R>
double distance(const R* a, const R* b, Index n) {
  double aa = 0, bb = 0, gap = 0;
  for (Index d = 0; d < n; ++d) {
    aa += static_cast<double>(a[d]) * static_cast<double>(a[d]);
    bb += static_cast<double>(b[d]) * static_cast<double>(b[d]);
  }
  if (aa == 0 || bb == 0) return aa == bb ? 0 : 1;
  for (Index d = 0; d < n; ++d)
    gap += std::pow(static_cast<double>(a[d]) / std::sqrt(aa) - static_cast<double>(b[d]) / std::sqrt(bb), 2);
  return gap / 2;
}

// Row i of attention, [H·E], to `whole`, and the same without the values of j to `without`.
template <class R>
void attention_rows(const Tensor& pattern, const Tensor& v, const HeadLayout& heads, Pair pair,
                    const std::vector<int>& zeroed_heads, R* whole, R* without) {
  const Index T = pattern.shape().back(), values = v.shape().back(), E = values / heads.groups;
  for (Index h = 0; h < heads.heads; ++h) {
    const bool zeroed = std::find(zeroed_heads.begin(), zeroed_heads.end(), h) != zeroed_heads.end();
    for (Index k = 0; k < T; ++k)
      for (Index e = 0; e < E; ++e) {
        const R term = pattern.data<R>()[(h * T + pair.row) * T + k] *
                       v.data<R>()[k * values + h * heads.groups / heads.heads * E + e];
        whole[h * E + e] += term;
        if (k != pair.zeroed || !zeroed) without[h * E + e] += term;
      }
  }
}

template <class R>
std::vector<double> plain(const Study& study, int layer, std::span<const Pair> pairs,
                          const ZeroingOptions& options) {
  const Anatomy anatomy = study.model().anatomy();
  const auto l = static_cast<std::size_t>(layer);
  const BlockWeights& w = (*anatomy.blocks)[l];
  const HeadLayout& heads = anatomy.heads[l];
  const Index D = study.info().width, inner = heads.heads * study.info().head_width;
  const Tensor pattern = study.at(Site::Pattern, layer), v = study.at(Site::V, layer);
  const Tensor residual = study.at(Site::ResidPre, layer);
  Rows<R> x, z(2 * pairs.size() * static_cast<std::size_t>(inner), R{0});  // two rows for every pair
  R* to = z.data();
  for (const Pair& pair : pairs) {
    const R* row = residual.data<R>() + pair.row * D;
    for (int twice = 0; twice < 2; ++twice) x.insert(x.end(), row, row + D);
    attention_rows<R>(pattern, v, heads, pair, options.heads, to, to + inner);
    to += 2 * inner;
  }
  const bool final_norm = options.final_norm && l + 1 == anatomy.blocks->size();
  const Rows<R> outputs =
      rest_of_block(w, !study.info().pre_norm, final_norm ? anatomy.final_norm : nullptr, x, z);
  std::vector<double> result;
  for (const R* at = outputs.data(); at != outputs.data() + outputs.size(); at += 2 * D)
    result.push_back(distance(at, at + D, D));
  return result;
}

}  // namespace

std::vector<double> plain_distances(const Study& study, int layer, std::span<const Pair> pairs,
                                    const ZeroingOptions& options) {
  return dispatch(study.info().dtype,
                  [&](auto r) { return plain<decltype(r)>(study, layer, pairs, options); });
}

}  // namespace headwater
