// Kobayashi et al., 2020: Attention is Not Only a Weight. EMNLP. The output of attention is a sum over
// tokens,
//
//   Z_i = Σ_h (Σ_j α^h_ij v^h_j) W_O^h + b_O = Σ_j Σ_h α^h_ij u^h_j + b_O
//
// because W_O is linear: head h owns the columns [hE, (h+1)E) of the stored W_O [D, H·E]. With grouped
// queries the heads h = g·H/G … share the value of group g, but not their part of W_O.
#include "explain/attention_parts.h"

#include <algorithm>
#include <cmath>

#include <headwater/error.h>

#include "kernels/kernels.h"
#include "study/map_checks.h"

namespace headwater {

namespace {

constexpr Index tile_numbers = Index{1} << 19;  // of u: 4 MiB

Index tile_tokens(Index tokens, Index heads, Index width) {
  return std::clamp<Index>(tile_numbers / std::max<Index>(1, heads * width), 1, tokens);
}

}  // namespace

NormMap::NormMap(const NormWeights& weights)
    : gamma_(weights.gamma.to_doubles()),
      beta_(weights.beta.empty() ? std::vector<double>{} : weights.beta.to_doubles()),
      eps_(weights.eps) {}

void NormMap::apply(double* z) const {
  double mean = 0;
  if (!beta_.empty()) {
    for (std::size_t k = 0; k < gamma_.size(); ++k) mean += z[k];
    mean /= static_cast<double>(gamma_.size());
  }
  for (std::size_t k = 0; k < gamma_.size(); ++k) z[k] = gamma_[k] * (z[k] - mean);
}

void NormMap::whole(double* z, double s) const {
  apply(z);
  for (std::size_t k = 0; k < gamma_.size(); ++k) z[k] = z[k] / s + (beta_.empty() ? 0 : beta_[k]);
}

double NormMap::variance(const double* z) const {
  const auto D = static_cast<double>(gamma_.size());
  double mean = 0, sum = 0;
  if (!beta_.empty()) {
    for (std::size_t k = 0; k < gamma_.size(); ++k) mean += z[k];
    mean /= D;
  }
  for (std::size_t k = 0; k < gamma_.size(); ++k) sum += (z[k] - mean) * (z[k] - mean);
  return sum / D;
}

double NormMap::deviation(const double* z) const {
  return std::sqrt(variance(z) + eps_);
}

AttentionParts::AttentionParts(const Study& study, const AttentionKind& kind, int layer)
    : tokens_(study.size(kind.queries)), heads_(kind.heads), causal_(kind.causal) {
  const Stack& stack = study.info().stacks[as_size(kind.stack)];
  groups_ = stack.groups;
  head_width_ = stack.head_width;
  width_ = stack.width;
  const Origin made = study.op_at(kind.at(Site::AttnOut, layer));
  const LinearWeights* found = as_linear(made.op);
  if (found == nullptr || made.inputs[0].id != study.tape().spot(kind.at(Site::Z, layer)).id)
    throw InternalError("attention parts: expected an output projection of the mix, found none");
  const LinearWeights out = *found;
  pattern_ = study.at(kind.pattern(layer));
  values_ = study.at(kind.at(Site::V, layer)).to_doubles();
  input_ = study.at(kind.at(Site::ResidPre, layer)).to_doubles();
  output_ = out.weight->dense().to_doubles();
  bias_ = out.bias.empty() ? std::vector<double>(as_size(width_)) : out.bias.to_doubles();
}

std::vector<Site> AttentionParts::sites() {
  return {Site::Pattern, Site::V, Site::ResidPre, Site::ResidMid};
}

std::size_t AttentionParts::bytes(const ModelInfo& info, Index tokens) {
  const Index H = info.last().heads, E = info.last().head_width, D = info.last().width,
              G = info.last().groups, T = tokens;
  const Index numbers = T * (G * E + D) + 2 * D * H * E             // v, x, W_O and its first copy
                        + tile_tokens(T, H, D) * H * D              // u of a tile
                        + 2 * T * T + 2 * T * (H * E + D) + 8 * D;  // one head's pattern, Z and the sums
  return as_size(numbers) * sizeof(double);
}

void AttentionParts::weights(Index i, Index j, double* to) const {
  dispatch(pattern_.dtype(), [&](auto r) {
    const auto* from = pattern_.template data<decltype(r)>() + i * tokens_ + j;
    for (Index h = 0; h < heads_; ++h) to[h] = static_cast<double>(from[h * tokens_ * tokens_]);
  });
}

void AttentionParts::for_tiles(const std::function<void(Index, Index, double*)>& f) const {
  const Index tile = tile_tokens(tokens_, heads_, width_), shared = heads_ / groups_;
  std::vector<double> u(as_size(tile * heads_ * width_));
  for (Index begin = 0; begin < tokens_; begin += tile) {
    const Index count = std::min(tile, tokens_ - begin);
    std::vector<kernels::GemmTask<double>> tasks;
    for (Index h = 0; h < heads_; ++h)
      tasks.push_back({values_.data() + begin * groups_ * head_width_ + h / shared * head_width_,
                       output_.data() + h * head_width_, u.data() + h * width_});
    kernels::gemm_batch<double>({.m = count,
                                 .n = width_,
                                 .k = head_width_,
                                 .transpose_b = true,
                                 .lda = groups_ * head_width_,
                                 .ldb = heads_ * head_width_,
                                 .ldc = heads_ * width_},
                                tasks);
    f(begin, count, u.data());
  }
}

// Σ_j f_ij for every i, or Σ_{j≠i}, which is exactly 0 where no other token may be read.
std::vector<double> AttentionParts::mixed(bool own) const {
  const Index T = tokens_, E = head_width_, shared = heads_ / groups_;
  std::vector<double> map(as_size(T * T)), z(as_size(T * heads_ * E));
  for (Index h = 0; h < heads_; ++h) {
    dispatch(pattern_.dtype(), [&](auto r) {
      const auto* from = pattern_.template data<decltype(r)>() + h * T * T;
      std::copy_n(from, T * T, map.data());
    });
    for (Index i = 0; i < T && !own; ++i) map[as_size(i * T + i)] = 0;
    kernels::gemm<double>({.m = T, .n = E, .k = T, .ldb = groups_ * E, .ldc = heads_ * E}, map.data(),
                          values_.data() + h / shared * E, z.data() + h * E);
  }
  std::vector<double> sums(as_size(T * width_));
  kernels::gemm<double>({.m = T, .n = width_, .k = heads_ * E, .transpose_b = true}, z.data(), output_.data(),
                        sums.data());
  return sums;
}

std::vector<double> AttentionParts::sums() const {
  std::vector<double> a = mixed(true);
  for (Index i = 0; i < tokens_; ++i)
    for (Index k = 0; k < width_; ++k) a[as_size(i * width_ + k)] += bias_[as_size(k)] + input(i)[k];
  return a;
}

std::vector<double> AttentionParts::others() const {
  return mixed(false);
}

std::vector<double> AttentionParts::part(Index i, Index j) const {
  const Index E = head_width_, shared = heads_ / groups_;
  std::vector<double> alpha(as_size(heads_)), f(as_size(width_));
  weights(i, j, alpha.data());
  for (Index h = 0; h < heads_; ++h)
    for (Index k = 0; k < width_; ++k) {
      const double* v = values_.data() + (j * groups_ + h / shared) * E;
      const double* w = output_.data() + (k * heads_ + h) * E;
      double u = 0;
      for (Index e = 0; e < E; ++e) u += v[e] * w[e];
      f[as_size(k)] += alpha[as_size(h)] * u;
    }
  return f;
}

std::optional<PlainBlock> plain_block_of(const Study& study, const AttentionKind& kind, int layer) {
  if (kind.is_cross()) return {};
  return plain_block(study.tape(), {.layer = layer, .stack = kind.stack});
}

std::vector<Index> sampled_rows(Index tokens) {
  if (tokens == 1) return {0};
  if (tokens == 2) return {0, 1};
  return {0, tokens / 2, tokens - 1};
}

std::vector<std::pair<Index, Index>> sampled_pairs(Index tokens, bool causal) {
  const Index last = tokens - 1, half = tokens / 2;
  std::vector<std::pair<Index, Index>> pairs{{last, 0}, {half, half}, {last, half}};
  if (!causal) pairs.emplace_back(0, last);
  return pairs;
}

void SumCheck::begin(const AttentionParts& parts) {
  rows_ = sampled_rows(parts.tokens());
  sums_.clear();
  for (const Index i : rows_)
    for (Index k = 0; k < parts.width(); ++k) sums_.push_back(parts.bias()[as_size(k)] + parts.input(i)[k]);
}

void SumCheck::add(const AttentionParts& parts, Index begin, Index count, const double* u) {
  const Index H = parts.heads(), D = parts.width();
  std::vector<double> alpha(as_size(H));
  for (std::size_t row = 0; row < rows_.size(); ++row)
    for (Index j = 0; j < count; ++j) {
      parts.weights(rows_[row], begin + j, alpha.data());
      double* sum = sums_.data() + static_cast<Index>(row) * D;
      for (Index h = 0; h < H; ++h)
        for (Index k = 0; k < D; ++k) sum[k] += alpha[as_size(h)] * u[(j * H + h) * D + k];
    }
}

// The error is relative to the largest number of the row that was written.
void SumCheck::end(const AttentionParts& parts, const Tensor& written, const NormMap* norm) {
  const Index D = parts.width();
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    double* sum = sums_.data() + static_cast<Index>(row) * D;
    if (norm != nullptr) norm->whole(sum, norm->deviation(sum));
    double largest = 0, apart = 0;
    for (Index k = 0; k < D; ++k) {
      const double w = written.at(rows_[row] * D + k);
      largest = std::max(largest, std::abs(w));
      apart = std::max(apart, std::abs(w - sum[k]));
    }
    worst_ = std::max(worst_, largest > 0 ? apart / largest : apart);
  }
}

Check SumCheck::check() const {
  return check_within("parts add up to the attention block's output", worst_,
                      dtype_ == DType::Float32 ? 1e-4 : 1e-10);
}

}  // namespace headwater
