// ALTI (Ferrando et al., 2022): how much nearer to the output of the attention block its part T_ij brings us.
// With R_ij of explain/attention_parts.h,
//
//   post-norm   T_ij = γ ⊙ C(R_ij) / s_i,  y_i = norm(a_i)        pre-norm   T_ij = R_ij,  y_i = a_i
//   c_ij = max(0, ‖y_i‖₁ − ‖y_i − T_ij‖₁), rows divided by their sum
//
// The L1 norm needs the vectors T_ij; they are made for one token j and a few rows i at a time. The two norms
// are subtracted component by component, Σ_k |y_k| − |y_k − T_k|, so that no digits are lost between large
// sums.
//
// Attention to another stack has f_ij for T_ij, and the residual path x_i beside the row as one more part,
// which rows are divided over too (ALTI+, Ferrando et al., 2022b): the detail cross_residual.
//
// compat: the authors' programs take torch's pairwise_distance, which adds 1e-6 to every component of T − y,
// and a deviation without ε; the one for translation takes the sample deviation (n − 1). Cells that a causal
// mask forbids stay out of the rows here too.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <headwater/error.h>

#include "base/parallel.h"
#include "explain/kind_maps.h"
#include "explain/mixing_steps.h"
#include "explain/norms.h"
#include "explain/pushed_parts.h"
#include "kernels/kernels.h"
#include "methods/method.h"
#include "numerics/row_division.h"

namespace headwater {

namespace {

constexpr Index block_rows = 32;

struct Compat {
  double shift = 0;         // added to every component of T − y
  bool with_eps = true;     // in s_i
  double degrees_lost = 0;  // s_i divides by D − this
};

Compat compat_of(const std::string& name) {
  if (name == "alti") return {.shift = 1e-6, .with_eps = false};
  if (name == "alti_nmt") return {.shift = 1e-6, .with_eps = false, .degrees_lost = 1};
  return {};
}

// Σ_k |y_k| − |t_k − y_k + shift|
double nearer(const double* y, const double* t, Index n, double shift) {
  double sums[8] = {};
  Index k = 0;
  for (; k + 8 <= n; k += 8)
    for (Index lane = 0; lane < 8; ++lane)
      sums[lane] += std::abs(y[k + lane]) - std::abs(t[k + lane] - y[k + lane] + shift);
  for (; k < n; ++k) sums[0] += std::abs(y[k]) - std::abs(t[k] - y[k] + shift);
  return std::accumulate(sums, sums + 8, 0.0);
}

// What row i's parts are divided by, and what they are compared with.
struct Outputs {
  std::vector<double> scales;  // 1 / s_i, or 1
  std::vector<double> y;       // [T, D]
};

Outputs outputs_of(const AttentionParts& parts, const NormMap* norm, const Compat& compat) {
  const Index T = parts.tokens(), D = parts.width();
  Outputs made{.scales = std::vector<double>(as_size(T), 1.0), .y = parts.sums()};
  if (norm == nullptr) return made;
  const auto n = static_cast<double>(D);
  for (Index i = 0; i < T; ++i) {
    double* row = made.y.data() + i * D;
    const double s = compat.with_eps ? norm->deviation(row)
                                     : std::sqrt(norm->variance(row) * n / (n - compat.degrees_lost));
    made.scales[as_size(i)] = 1 / s;
    norm->whole(row, s);
  }
  return made;
}

// The column of token j of one layer, c_ij before rows are divided; u [H, D] of the token, the norm's map
// applied already.
void put_column(const AttentionParts& parts, const Outputs& outputs, const NormMap* norm, double shift,
                Index j, const double* u, double* map) {
  const Index T = parts.tokens(), H = parts.heads(), D = parts.width();
  std::vector<double> alpha(as_size(block_rows * H)), block(as_size(block_rows * D));
  std::vector<double> own(parts.input(j), parts.input(j) + D);
  if (norm != nullptr) norm->apply(own.data());
  for (Index begin = parts.first_query(j); begin < T; begin += block_rows) {
    const Index rows = std::min(block_rows, T - begin);
    for (Index r = 0; r < rows; ++r) {
      parts.weights(begin + r, j, alpha.data() + r * H);
      for (Index h = 0; h < H; ++h) alpha[as_size(r * H + h)] *= outputs.scales[as_size(begin + r)];
    }
    kernels::gemm<double>({.m = rows, .n = D, .k = H}, alpha.data(), u, block.data());
    for (Index i = begin; i < begin + rows; ++i) {
      double* part = block.data() + (i - begin) * D;
      for (Index k = 0; i == j && k < D; ++k) part[k] += own[as_size(k)] * outputs.scales[as_size(i)];
      map[i * T + j] = std::max(0.0, nearer(outputs.y.data() + i * D, part, D, shift));
    }
  }
}

// c_ij of sampled pairs as the formula says it, relative to ‖y_i‖₁; the largest difference.
double plain_difference(const AttentionParts& parts, const Outputs& outputs, const NormMap* norm,
                        const Compat& compat, const std::vector<double>& map) {
  const Index D = parts.width();
  double worst = 0;
  for (const auto& [i, j] : sampled_pairs(parts.tokens(), parts.causal())) {
    std::vector<double> part = parts.part(i, j);
    for (Index k = 0; i == j && k < D; ++k) part[as_size(k)] += parts.input(i)[k];
    if (norm != nullptr) norm->apply(part.data());
    double whole = 0, rest = 0;
    for (Index k = 0; k < D; ++k) {
      const double y = outputs.y[as_size(i * D + k)];
      const double t = part[as_size(k)] * outputs.scales[as_size(i)];
      whole += std::abs(y);
      rest += std::abs(t - y + compat.shift);
    }
    const double apart = std::abs(std::max(0.0, whole - rest) - map[as_size(i * parts.tokens() + j)]);
    worst = std::max(worst, whole > 0 ? apart / whole : apart);
  }
  return worst;
}

// For attention of any kind in a block of any wiring: T_ij by a push, y_i what was written. The share of the
// residual path past attention to another stack goes to `residual`.
std::vector<double> pushed_map(const Study& study, const AttentionKind& kind, int layer, const Compat& compat,
                               std::span<double> residual) {
  if (!compat.with_eps)
    throw Unsupported("alti: compat supports only the norms of plain blocks, and " +
                      study.info().architecture + " has others; use compat=none");
  const PartsWanted wanted{.layer = layer, .at = kind.after, .kind = kind};
  const Tensor written = study.at(kind.at(kind.after, layer));
  const Index T = written.dim(1), S = study.size(kind.keys), D = written.dim(2);
  const std::vector<double> y = written.to_doubles();
  const auto share = [&](const std::vector<double>& part, Index i) {
    return std::max(0.0, nearer(y.data() + i * D, part.data() + i * D, D, compat.shift));
  };
  std::vector<double> map(as_size(T * S));
  for_pushed_parts(study, wanted, [&](Index j, const Tensor& parts) {
    const std::vector<double> part = parts.to_doubles();
    for (Index i = kind.causal ? j : 0; i < T; ++i) map[as_size(i * S + j)] = share(part, i);
  });
  if (residual.empty()) return map;
  const std::vector<double> part = pushed_residual(study, wanted).to_doubles();
  for (Index i = 0; i < T; ++i) residual[as_size(i)] = share(part, i);
  return map;
}

// The same by a plain block's shortcut, [T, T].
std::vector<double> plain_map(const Study& study, const PlainBlock& block, const AttentionKind& kind,
                              int layer, const Compat& compat, PartTotals& totals) {
  const AttentionParts parts(study, kind, layer);
  const Index T = parts.tokens(), H = parts.heads(), D = parts.width();
  const NormMap after(block.weights.attention_norm);
  const NormMap* norm = block.pre_norm ? nullptr : &after;
  const Outputs outputs = outputs_of(parts, norm, compat);
  std::vector<double> map(as_size(T * T));
  totals.sums.begin(parts);
  parts.for_tiles([&](Index begin, Index count, double* u) {
    totals.sums.add(parts, begin, count, u);
    parallel_for(count, 1, [&](Index from, Index to) {
      for (Index j = from; j < to; ++j) {
        for (Index h = 0; h < H && norm != nullptr; ++h) norm->apply(u + (j * H + h) * D);
        put_column(parts, outputs, norm, compat.shift, begin + j, u + j * H * D, map.data());
      }
    });
  });
  totals.sums.end(parts, study.at(kind.at(Site::ResidMid, layer)), norm);
  totals.apart = std::max(totals.apart, plain_difference(parts, outputs, norm, compat, map));
  return map;
}

// c_ij of one layer, [T, S], rows divided: with the residual path's where it is no column of its own.
std::vector<double> layer_map(const Study& study, const AttentionKind& kind, int layer, const Compat& compat,
                              std::span<double> residual, PartTotals& totals) {
  const std::optional<PlainBlock> block = plain_block_of(study, kind, layer);
  std::vector<double> map = block ? plain_map(study, *block, kind, layer, compat, totals)
                                  : pushed_map(study, kind, layer, compat, residual);
  const Index S = study.size(kind.keys);
  totals.see_rows(map, S);
  totals.empty += divide_rows(std::span(map), S, residual);
  return map;
}

Attribution run(const Study& study, const MethodOptions& options) {
  const std::vector<AttentionKind> kinds = attentions_of(study.info());
  const Compat compat = compat_of(options.text("compat"));
  Attribution result{.maps = maps_of(study, kinds, HeadAxis::None)};
  PartTotals totals(study.info().dtype);
  for_layers(study, kinds, result, [&](std::size_t k, int layer) {
    const AttentionKind& kind = kinds[k];
    std::vector<double> residual(as_size(kind.is_cross() ? study.size(kind.queries) : 0));
    put_layer(result.maps[k].values, layer, layer_map(study, kind, layer, compat, residual, totals));
    if (kind.is_cross()) put_detail(result, kind, "residual", layer, residual);
  });
  totals.conclude(result, kinds, true, {"row by row equals plain vectors", 1e-10});
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions&) {
  const auto T = as_size(tokens), D = as_size(info.last().width);
  const auto threads = as_size(thread_count());
  const auto layers = as_size(layers_of(attentions_of(info)));
  // Of several kinds also the residual path's shares, and rows with them while they are checked.
  const std::size_t beside =
      is_encoder_decoder(info) ? layers * (T * (T + 1) * bytes_of(info.dtype) + 2 * T * sizeof(double)) : 0;
  return layers * T * T * bytes_of(info.dtype) + beside +
         (T * T + T * D + threads * block_rows * D) * sizeof(double) + AttentionParts::bytes(info, tokens) +
         pushed_bytes(info, tokens);
}

}  // namespace

extern const Method alti{
    .name = "alti",
    .summary =
        "Each token's share in the attention block's output, by how much closer its contribution brings the "
        "sum to that output.",
    .title = "ALTI",
    .question = Question::Mixing,
    .formula =
        "c[l,i,j] = max(0, ‖y[l,i]‖₁ − ‖y[l,i] − T[l,i,j]‖₁), rows divided by their sum;  T: token j's part "
        "of y, residual path and norm included",
    .paper =
        "Ferrando et al., 2022: Measuring the Mixing of Contextual Information in the Transformer. EMNLP. "
        "Encoder–decoders: Ferrando et al., 2022: Towards Opening the Black Box of Neural Machine "
        "Translation: Source and Target Interpretations of the Transformer. EMNLP",
    .cost =
        "One forward run and 2 T² H D + 3 T² D operations per layer. Vectors are made for one token at a "
        "time.",
    .limits =
        "It leaves out the feed-forward layers and the target. The biases of the output projection and of "
        "the norm belong to no token. Contributions that point away from the output are cut to 0. In "
        "cross-attention the detail cross_residual has the residual path's share, and rows sum to 1 "
        "including it.",
    .options = {{"compat", "none|alti|alti_nmt", "none",
                 "follows the authors' programs: 1e-6 is added to every component, and the deviation has no "
                 "eps (alti) or is that of a sample (alti_nmt)"}},
    .claims = {.rows_sum_to_one = true, .nonnegative = true, .causal = true},
    .mixing = Mixing::Complete,
    .sites = AttentionParts::sites(),
    .compute = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
