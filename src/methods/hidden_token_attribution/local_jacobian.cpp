// One post-norm block  y = x + W_O o,  z = N₁ y,  e = N₂(z + W₂ f(W₁ z)).  With c the scale of the scores,
//
//   i ≠ j   J_ij = Σ_h A^h_ji R^h_j (W_V^h + a^h_ij p^h_jᵀ)
//   i = j   also  + M_j + Σ_h R^h_j X^h_j W_Q^h
//
//   M_j = N₂' (I + W₂ diag(f') W₁) N₁'          N' = diag(γ)/σ (I − 11ᵀ/D − ŷŷᵀ/D)
//   R^h_j = M_j W_O^h                           a^h_ij = c (v_i − o_j),  p^h_j = W_K^hᵀ q_j
//   X^h_j = c Σ_i A_ji v_i (k_i − k̄_j)ᵀ         k̄_j = Σ_i A_ji k_i
//
// Off the diagonal |J_ij|² follows from S = RᵀR without forming J: with b_h = A^h_ji a^h and Π_hg = p_h·p_g,
//
//   |J|² = Σ_hg A_h A_g ⟨S_hg, W_V^h W_V^gᵀ⟩ + 2 Σ_hg A_h b_gᵀ S_gh W_V^h p_g + Σ_hg Π_hg b_hᵀ S_hg b_g
#include "methods/hidden_token_attribution/local_jacobian.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "blocks/recognise.h"
#include "kernels/kernels.h"

namespace headwater {

namespace {

using Vector = std::vector<double>;

// C [m, n] = op(A) op(B), contiguous.
enum class Turn { None, A, B };
void dgemm(Turn turn, Index m, Index n, Index k, const double* a, const double* b, double* c) {
  kernels::gemm<double>(
      {.m = m, .n = n, .k = k, .transpose_a = turn == Turn::A, .transpose_b = turn == Turn::B}, a, b, c);
}

// The Jacobian of a LayerNorm at one row.
struct NormAt {
  Vector hat, slope;  // ŷ, γ/σ

  NormAt(const double* y, const NormWeights& w, Index width) {
    const auto n = static_cast<double>(width);
    const double mean = std::accumulate(y, y + width, 0.0) / n;
    double variance = 0;
    for (Index k = 0; k < width; ++k) variance += (y[k] - mean) * (y[k] - mean) / n;
    const double sigma = std::sqrt(variance + w.eps);
    for (Index k = 0; k < width; ++k) {
      hat.push_back((y[k] - mean) / sigma);
      slope.push_back(w.gamma.at(k) / sigma);
    }
  }
  // m ← m N' for a square m.
  void from_right(Vector& m) const {
    const std::size_t n = hat.size();
    for (std::size_t r = 0; r < n; ++r) {
      double* row = m.data() + r * n;
      double sum = 0, along = 0;
      for (std::size_t k = 0; k < n; ++k) {
        row[k] *= slope[k];
        sum += row[k];
        along += row[k] * hat[k];
      }
      for (std::size_t k = 0; k < n; ++k) row[k] -= (sum + along * hat[k]) / static_cast<double>(n);
    }
  }
  // m ← N' m.
  void from_left(Vector& m) const {
    const std::size_t n = hat.size();
    Vector sum(n), along(n);
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t k = 0; k < n; ++k) {
        sum[k] += m[r * n + k] / static_cast<double>(n);
        along[k] += m[r * n + k] * hat[r] / static_cast<double>(n);
      }
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t k = 0; k < n; ++k)
        m[r * n + k] = slope[r] * (m[r * n + k] - sum[k] - hat[r] * along[k]);
  }
};

Vector dense_weights(const LinearWeights& w) {
  return w.weight->dense().to_doubles();
}

class Block {
 public:
  Block(const Study& study, int layer)
      : block_(*plain_block(study.tape(), {.layer = layer})),
        weights_(block_.weights),
        T(study.size()),
        D(study.info().last().width),
        F(study.info().last().feed_forward),
        H(study.info().last().heads),
        E(study.info().last().head_width),
        scale_(block_.heads.scale),
        wq_(dense_weights(weights_.attention.q)),
        wk_(dense_weights(weights_.attention.k)),
        wv_(dense_weights(weights_.attention.v)),
        wo_(dense_weights(weights_.attention.out)),
        w1_(dense_weights(weights_.mlp.up)),
        w2_(dense_weights(weights_.mlp.down)) {
    const auto read = [&](Site site) { return study.at(site, layer).to_doubles(); };
    q_ = read(Site::Q);
    k_ = read(Site::K);
    v_ = read(Site::V);
    o_ = read(Site::Z);
    pattern_ = read(Site::Pattern);
    before_first_ = sum(read(Site::ResidPre), read(Site::AttnOut));
    before_second_ = sum(read(Site::ResidMid), read(Site::MlpOut));
    const Vector pre = read(Site::MlpPre);
    slope_.resize(pre.size());
    kernels::activation_slope<double>(weights_.mlp.f, kernels::Slope::Tangent, pre.data(), slope_.data(),
                                      static_cast<Index>(pre.size()));
    vv_.resize(as_size(H * E * H * E));
    dgemm(Turn::B, H * E, H * E, D, wv_.data(), wv_.data(), vv_.data());
  }

  // Row j of the norms.
  void row(Index j, double* norms) const {
    const Vector m = stream_part(j);
    Vector r(as_size(D * H * E)), s(as_size(H * E * H * E));
    dgemm(Turn::None, D, H * E, D, m.data(), wo_.data(), r.data());
    dgemm(Turn::A, H * E, H * E, D, r.data(), r.data(), s.data());
    Vector p(as_size(H * D));
    for (Index h = 0; h < H; ++h)  // p_h = W_K^hᵀ q_j
      dgemm(Turn::None, 1, D, E, q_.data() + j * H * E + h * E, wk_.data() + h * E * D, p.data() + h * D);
    others(j, s, p, norms);
    norms[j] = own(j, m, r, p);
  }

 private:
  static Vector sum(Vector a, const Vector& b) {
    std::transform(a.begin(), a.end(), b.begin(), a.begin(), std::plus<>());
    return a;
  }
  double attention(Index h, Index j, Index i) const { return pattern_[as_size((h * T + j) * T + i)]; }
  // a^h_ij, element e.
  double apart(Index h, Index j, Index i, Index e) const {
    const auto at = [&](const Vector& x, Index t) { return x[as_size((t * H + h) * E + e)]; };
    return scale_ * (at(v_, i) - at(o_, j));
  }

  // M_j
  Vector stream_part(Index j) const {
    Vector scaled = w2_;  // W₂ diag(f')
    for (std::size_t at = 0; at < scaled.size(); ++at) scaled[at] *= slope_[as_size(j * F) + at % as_size(F)];
    Vector m(as_size(D * D));
    dgemm(Turn::None, D, D, F, scaled.data(), w1_.data(), m.data());
    for (Index k = 0; k < D; ++k) m[as_size(k * D + k)] += 1;
    NormAt(before_first_.data() + j * D, weights_.attention_norm, D).from_right(m);
    NormAt(before_second_.data() + j * D, weights_.mlp_norm, D).from_left(m);
    return m;
  }

  void others(Index j, const Vector& s, const Vector& p, double* norms) const {
    const Index HE = H * E;
    Vector wp(as_size(HE * H)), pp(as_size(H * H));  // W_V p_g;  Π
    dgemm(Turn::B, HE, H, D, wv_.data(), p.data(), wp.data());
    dgemm(Turn::B, H, H, D, p.data(), p.data(), pp.data());
    Vector base(as_size(H * H)), cross(as_size(HE * H)), weighted(s);
    for (Index x = 0; x < HE; ++x)  // x = (h, a), y = (g, b)
      for (Index y = 0; y < HE; ++y) {
        const Index h = x / E, g = y / E;
        const double value = s[as_size(x * HE) + as_size(y)];
        base[as_size(h * H + g)] += value * vv_[as_size(x * HE + y)];
        cross[as_size(y * H + h)] += value * wp[as_size(x * H + g)];
        weighted[as_size(x * HE + y)] *= pp[as_size(h * H + g)];
      }
    Vector b(as_size(T * HE)), along(as_size(T * H)), curved(as_size(T * HE));
    for (Index i = 0; i < T; ++i)
      for (Index x = 0; x < HE; ++x)
        b[as_size(i * HE + x)] = attention(x / E, j, i) * apart(x / E, j, i, x % E);
    dgemm(Turn::None, T, H, HE, b.data(), cross.data(), along.data());
    dgemm(Turn::None, T, HE, HE, b.data(), weighted.data(), curved.data());
    for (Index i = 0; i < T; ++i) {
      double total = 0;
      for (Index h = 0; h < H; ++h) {
        for (Index g = 0; g < H; ++g)
          total += attention(h, j, i) * attention(g, j, i) * base[as_size(h * H + g)];
        total += 2 * attention(h, j, i) * along[as_size(i * H + h)];
      }
      for (Index x = i * HE; x < (i + 1) * HE; ++x) total += b[as_size(x)] * curved[as_size(x)];
      norms[i] = std::sqrt(std::max(0.0, total));
    }
  }

  // |J_jj|, formed.
  double own(Index j, const Vector& m, const Vector& r, const Vector& p) const {
    Vector inner(as_size(H * E * D));
    for (Index h = 0; h < H; ++h) {
      Vector mean(as_size(E)), x(as_size(E * E));
      const auto at = [&](const Vector& all, Index i, Index e) { return all[as_size((i * H + h) * E + e)]; };
      for (Index i = 0; i < T; ++i)
        for (Index e = 0; e < E; ++e) mean[as_size(e)] += attention(h, j, i) * at(k_, i, e);
      for (Index i = 0; i < T; ++i)
        for (Index e = 0; e < E; ++e)
          for (Index f = 0; f < E; ++f)
            x[as_size(e * E + f)] +=
                scale_ * attention(h, j, i) * at(v_, i, e) * (at(k_, i, f) - mean[as_size(f)]);
      double* to = inner.data() + h * E * D;
      dgemm(Turn::None, E, D, E, x.data(), wq_.data() + h * E * D, to);
      for (Index e = 0; e < E; ++e)
        for (Index c = 0; c < D; ++c)
          to[e * D + c] += attention(h, j, j) *
                           (wv_[as_size((h * E + e) * D + c)] + apart(h, j, j, e) * p[as_size(h * D + c)]);
    }
    Vector whole(as_size(D * D));
    dgemm(Turn::None, D, D, H * E, r.data(), inner.data(), whole.data());
    double total = 0;
    for (std::size_t c = 0; c < whole.size(); ++c) total += (whole[c] + m[c]) * (whole[c] + m[c]);
    return std::sqrt(total);
  }

  const PlainBlock block_;
  const BlockWeights& weights_;
  Index T, D, F, H, E;
  double scale_;
  Vector wq_, wk_, wv_, wo_, w1_, w2_;  // [HE, D] … [D, HE], [F, D], [D, F]
  Vector q_, k_, v_, o_, pattern_;      // [T, HE], [H, T, T]
  Vector before_first_, before_second_, slope_;
  Vector vv_;  // W_V W_Vᵀ
};

}  // namespace

bool has_local_form(const Study& study) {
  for (int l = 0; l < study.info().last().layers; ++l) {
    const std::optional<PlainBlock> block = plain_block(study.tape(), {.layer = l});
    if (!block || block->pre_norm || !block->plain_scores || block->heads.groups != block->heads.heads ||
        block->weights.mlp.gate || block->weights.attention_norm.beta.empty() ||
        block->weights.mlp_norm.beta.empty())
      return false;
  }
  return true;
}

std::vector<double> local_norms(const Study& study, int layer) {
  const Index T = study.size();
  const Block block(study, layer);
  std::vector<double> norms(as_size(T * T));
  for (Index j = 0; j < T; ++j) block.row(j, norms.data() + j * T);
  return norms;
}

std::size_t local_bytes(const ModelInfo& info, Index tokens) {
  const Index D = info.last().width, F = info.last().feed_forward,
              HE = Index{info.last().heads} * info.last().head_width;
  const Index weights = 4 * D * HE + 2 * D * F;
  const Index at_work = D * F + 3 * D * D + 3 * D * HE + 4 * HE * HE;
  const Index values = tokens * (8 * D + 6 * HE + 3 * F) + info.last().heads * tokens * tokens;
  return as_size(weights + at_work + values) * sizeof(double);
}

}  // namespace headwater
