// Kobayashi et al., 2020 and 2021 (Attention is Not Only a Weight; Incorporating Residual and Normalization
// Layers into Analysis of Masked Language Models), and Modarressi et al., 2022 (GlobEnc). With R_ij of
// attention_parts.h, a norm splits over the parts of its input (NormMap), so that after the norms of a
// post-norm block token j's part is, with Q the linear map of the stage (I, N1, or N2 after N1),
//
//   ‖R_ij Q‖ · c_i        c_i = 1, 1/s_i, or 1/(s_i s'_i);  s_i from a_i, s'_i from y_i + FFN(y_i)
//
// No such vector is made for i ≠ j: with Ũ_j = (u^h_j Q)_h [H, D] and α_ij = (α^h_ij)_h,
//
//   ‖f_ij Q‖² = α_ijᵀ (Ũ_j Ũ_jᵀ) α_ij
//
// which costs 2 T H² D + 2 T² H² instead of 2 T² H D. Where the heads cancel so far that the square would
// lose digits, and on the diagonal, the vector itself is summed.
//
// Mixing ratio: m_i / (m_i + p_i) with m_i = ‖Σ_{j≠i} R_ij Q‖ and p_i = ‖R_ii Q‖.
#include "explain/norms.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/parallel.h"
#include "blocks/recognise.h"
#include "explain/kind_maps.h"
#include "explain/mixing_steps.h"
#include "explain/pushed_parts.h"
#include "kernels/kernels.h"
#include "numerics/row_division.h"
#include "study/map_checks.h"

namespace headwater {

namespace {

constexpr double lost_square =
    1e-6;  // share of (Σ_h α_h ‖ũ^h‖)² below which the square has fewer than ten digits

double squared_norm(const double* z, Index n) {
  double sums[4] = {};
  Index k = 0;
  for (; k + 4 <= n; k += 4)
    for (Index lane = 0; lane < 4; ++lane) sums[lane] += z[k + lane] * z[k + lane];
  for (; k < n; ++k) sums[0] += z[k] * z[k];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// The stage's map of one layer: the norms that a part passes, and the factor of row i.
struct Stage {
  std::vector<NormMap> maps;
  std::vector<double> scales;  // c_i

  void apply(double* z) const {
    for (const NormMap& map : maps) map.apply(z);
  }
};

Stage stage_of(const Study& study, const AttentionParts& parts, NormStage stage, const BlockWeights& block,
               BlockAt at) {
  Stage made{.maps = {}, .scales = std::vector<double>(as_size(parts.tokens()), 1.0)};
  if (stage < NormStage::AttentionNorm) return made;
  const Index D = parts.width();
  const auto divide = [&](const std::vector<double>& rows) {
    for (Index i = 0; i < parts.tokens(); ++i)
      made.scales[as_size(i)] /= made.maps.back().deviation(rows.data() + i * D);
  };
  made.maps.emplace_back(block.attention_norm);
  divide(parts.sums());
  if (stage < NormStage::Block) return made;
  made.maps.emplace_back(block.mlp_norm);
  std::vector<double> sums = study.at(at(Site::ResidMid)).to_doubles();
  const std::vector<double> out = study.at(at(Site::MlpOut)).to_doubles();
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += out[k];
  divide(sums);
  return made;
}

// One layer's norms for one stage, in double.
class LayerNorms {
 public:
  LayerNorms(const AttentionParts& parts, const Stage& stage, const NormRequest& request)
      : parts_(parts),
        stage_(stage),
        request_(request),
        T(parts.tokens()),
        H(parts.heads()),
        D(parts.width()) {
    map_.resize(as_size((request.each_head ? H : 1) * T * T));
  }

  // Computes the map's columns for u [count, H, D] of tokens begin …; changes u to ũ.
  void add(Index begin, Index count, double* u) {
    std::vector<double> grams(as_size(count * H * H));
    std::vector<kernels::GemmTask<double>> tasks;
    parallel_for(count * H, 16, [&](Index from, Index to) {
      for (Index row = from; row < to; ++row) stage_.apply(u + row * D);
    });
    for (Index j = 0; j < count; ++j)
      tasks.push_back({u + j * H * D, u + j * H * D, grams.data() + j * H * H});
    kernels::gemm_batch<double>({.m = H, .n = H, .k = D, .transpose_b = true}, tasks);
    parallel_for(count, 1, [&](Index from, Index to) {
      for (Index j = from; j < to; ++j) column(begin + j, u + j * H * D, grams.data() + j * H * H);
    });
  }

  std::vector<double>& map() { return map_; }

 private:
  bool residual() const { return request_.stage != NormStage::Attention; }

  // ‖Σ_h α_h ũ^h + [i = j] x_j Q‖, computed from the vector itself.
  double plain(const double* alpha, const double* u, const double* own, double* work) const {
    if (own != nullptr)
      std::copy_n(own, D, work);
    else
      std::fill_n(work, D, 0.0);
    for (Index h = 0; h < H; ++h)
      for (Index k = 0; k < D; ++k) work[k] += alpha[h] * u[h * D + k];
    return std::sqrt(squared_norm(work, D));
  }

  void column(Index j, const double* u, const double* gram) {
    std::vector<double> alpha(as_size(H)), own(as_size(D)), work(own), norms;
    for (Index h = 0; h < H; ++h) norms.push_back(std::sqrt(gram[h * H + h]));
    std::copy_n(parts_.input(j), D, own.data());
    stage_.apply(own.data());
    for (Index i = parts_.first_query(j); i < T; ++i) {
      parts_.weights(i, j, alpha.data());
      const double scale = stage_.scales[as_size(i)];
      if (request_.each_head) {
        for (Index h = 0; h < H; ++h)
          map_[as_size((h * T + i) * T + j)] = alpha[as_size(h)] * norms[as_size(h)];
        continue;
      }
      double norm = 0;
      if (residual() && i == j) {
        norm = plain(alpha.data(), u, own.data(), work.data());
      } else {
        const double most = std::inner_product(alpha.begin(), alpha.end(), norms.begin(), 0.0);
        const double square = quadratic(alpha.data(), gram);
        if (most > 0)
          norm = square > lost_square * most * most ? std::sqrt(square)
                                                    : plain(alpha.data(), u, nullptr, work.data());
      }
      map_[as_size(i * T + j)] = norm * scale;
    }
  }

  double quadratic(const double* alpha, const double* gram) const {
    double square = 0;
    for (Index h = 0; h < H; ++h) {
      double sum = 0;
      for (Index g = 0; g < h; ++g) sum += gram[h * H + g] * alpha[g];
      square += alpha[h] * (2 * sum + gram[h * H + h] * alpha[h]);
    }
    return square;
  }

  const AttentionParts& parts_;
  const Stage& stage_;
  const NormRequest& request_;
  const Index T, H, D;  // NOLINT(readability-identifier-naming): the formulas' letters
  std::vector<double> map_;
};

// Compares the norms of sampled pairs with plain vectors from the definition; returns the largest relative
// difference.
double plain_difference(const AttentionParts& parts, const Stage& stage, const NormRequest& request,
                        const std::vector<double>& map) {
  double worst = 0;
  for (const auto& [i, j] : sampled_pairs(parts.tokens(), parts.causal())) {
    std::vector<double> z = parts.part(i, j);
    if (request.stage != NormStage::Attention && i == j)
      for (std::size_t k = 0; k < z.size(); ++k) z[k] += parts.input(i)[k];
    stage.apply(z.data());
    const double norm = std::sqrt(squared_norm(z.data(), parts.width())) * stage.scales[as_size(i)];
    const double found = map[as_size(i * parts.tokens() + j)];
    worst = std::max(worst, norm > 0 ? std::abs(found - norm) / norm : std::abs(found));
  }
  return worst;
}

bool has_mixing_ratio(NormStage stage) {
  return stage == NormStage::Residual || stage == NormStage::AttentionNorm;
}

void mixing_ratios(const AttentionParts& parts, const Stage& stage, const std::vector<double>& map,
                   std::span<double> to) {
  const Index T = parts.tokens(), D = parts.width();
  std::vector<double> others = parts.others();
  for (Index i = 0; i < T; ++i) {
    stage.apply(others.data() + i * D);
    const double m = std::sqrt(squared_norm(others.data() + i * D, D)) * stage.scales[as_size(i)];
    const double both = m + map[as_size(i * T + i)];
    to[as_size(i)] = both > 0 ? m / both : 0;
  }
}

// Computes the scores with the shortcut for plain blocks.
std::vector<double> gram_map(const Study& study, const NormRequest& request, const PlainBlock& block,
                             const AttentionKind& kind, int layer, std::span<double> ratios,
                             PartTotals& totals) {
  const AttentionParts parts(study, kind, layer);
  const Stage stage =
      stage_of(study, parts, request.stage, block.weights, {.layer = layer, .stack = kind.stack});
  LayerNorms norms(parts, stage, request);
  totals.sums.begin(parts);
  parts.for_tiles([&](Index begin, Index count, double* u) {
    totals.sums.add(parts, begin, count, u);
    norms.add(begin, count, u);
  });
  const NormMap after(block.weights.attention_norm);
  totals.sums.end(parts, study.at(kind.at(Site::ResidMid, layer)), block.pre_norm ? nullptr : &after);
  std::vector<double>& map = norms.map();
  if (!request.each_head) totals.apart = std::max(totals.apart, plain_difference(parts, stage, request, map));
  if (has_mixing_ratio(request.stage)) mixing_ratios(parts, stage, map, ratios);
  return std::move(map);
}

void run_layer(const Study& study, const NormRequest& request, const AttentionKind& kind, int layer,
               Attribution& result, Tensor& values, PartTotals& totals) {
  const std::optional<PlainBlock> block = plain_block_of(study, kind, layer);
  const Index T = study.size(kind.queries), S = study.size(kind.keys);
  const bool beside = kind.is_cross() && request.stage != NormStage::Attention;
  std::vector<double> ratios(as_size(T)), residual(as_size(beside ? T : 0));
  std::vector<double> map = block ? gram_map(study, request, *block, kind, layer, ratios, totals)
                                  : pushed_norms(study, request, kind, layer, {ratios, residual});
  totals.empty += totals.see_rows(map, S);
  if (request.normalise_rows) divide_rows(std::span(map), S, std::span(residual));
  put_layer(values, layer, map);
  if (has_mixing_ratio(request.stage)) put_detail(result, kind, "mixing_ratio", layer, ratios);
  if (beside) put_detail(result, kind, "residual", layer, residual);
}

}  // namespace

Index PartTotals::see_rows(const std::vector<double>& map, Index keys) {
  Index none = 0;
  for (auto row = map.begin(); row != map.end(); row += keys) {
    const double sum = std::accumulate(row, row + keys, 0.0);
    smallest = std::min(smallest, sum);
    largest = std::max(largest, sum);
    if (!(sum > 0)) ++none;
    peak = std::max(peak, *std::max_element(row, row + keys));
  }
  return none;
}

void PartTotals::conclude(Attribution& result, const std::vector<AttentionKind>& kinds, bool divided,
                          const Shortcut& shortcut) const {
  std::vector<Map> rows = result.maps;
  for (std::size_t k = 0; k < kinds.size(); ++k)
    if (const Map* beside = map_named(result.details, kinds[k].name + "_residual"))
      rows[k].values = with_column(rows[k].values, beside->values);
  if (divided && empty == 0) promise_row_sums(result, worst_of(rows, check_row_sums));
  result.checks.push_back(worst_of(result.maps, check_nonnegative));
  forbid_future(result, kinds);
  if (sums.measured()) {
    result.checks.push_back(sums.check());
    if (!shortcut.name.empty()) result.checks.push_back(check_within(shortcut.name, apart, shortcut.bound));
  }
  result.notes.push_back(maximum_note(Tensor::full({1, 1}, DType::Float64, peak)));
  result.notes.push_back(
      fmt::format("Raw row sums lie between {:.4g} and {:.4g}.{}", smallest, largest,
                  empty > 0 ? fmt::format(" Rows without any weight, left at zero: {}.", empty) : ""));
}

std::vector<double> pushed_norms(const Study& study, const NormRequest& request, const AttentionKind& kind,
                                 int layer, NormsBeside beside) {
  const Tensor input = study.at(kind.at(kind.before, layer));
  const Index T = study.size(kind.queries), S = study.size(kind.keys), D = input.shape().back();
  const int heads = request.each_head ? kind.heads : 1;
  const bool own_column = !kind.is_cross(), residual = request.stage == NormStage::Residual && own_column;
  const Site at = request.stage == NormStage::AttentionNorm ? kind.after
                  : request.stage == NormStage::Block       ? Site::ResidPost
                                                            : kind.sites.out;
  std::vector<double> map(as_size(heads * T * S)), others(as_size(T * D));
  const auto add_column = [&](int h, Index j, const Tensor& parts) {
    std::vector<double> part = parts.to_doubles();
    for (Index k = 0; residual && k < D; ++k) part[as_size(j * D + k)] += input.at(j * D + k);
    for (Index i = 0; i < T; ++i) {
      const double* row = part.data() + i * D;
      map[as_size((h * T + i) * S + j)] = std::sqrt(squared_norm(row, D));
      for (Index k = 0; !(own_column && i == j) && k < D; ++k) others[as_size(i * D + k)] += row[k];
    }
  };
  for (int h = 0; h < heads; ++h)
    for_pushed_parts(study, {layer, at, request.each_head ? h : -1, kind},
                     [&](Index j, const Tensor& parts) { add_column(h, j, parts); });
  const std::vector<double> x = own_column ? std::vector<double>{} : input.to_doubles();
  for (Index i = 0; !beside.residual.empty() && !own_column && i < T; ++i)
    beside.residual[as_size(i)] = std::sqrt(squared_norm(x.data() + i * D, D));
  for (Index i = 0; !beside.ratios.empty() && has_mixing_ratio(request.stage) && i < T; ++i) {
    const double m = std::sqrt(squared_norm(others.data() + i * D, D));
    const double own = own_column ? map[as_size(i * S + i)] : beside.residual[as_size(i)];
    beside.ratios[as_size(i)] = m + own > 0 ? m / (m + own) : 0;
  }
  return map;
}

std::string lacks_post_norm(std::string_view method, const ModelInfo& info) {
  if (!info.pre_norm) return {};
  return fmt::format(
      "{}: measures parts after the norm that follows the residual sum, and the pre-norm blocks of {} have "
      "none there; use attention_norm_res or alti",
      method, info.architecture);
}

std::vector<Site> norm_sites(NormStage stage) {
  std::vector<Site> sites = AttentionParts::sites();
  if (stage == NormStage::Block) sites.push_back(Site::MlpOut);
  return sites;
}

std::size_t norm_bytes(const ModelInfo& info, Index tokens, const NormRequest& request) {
  const auto maps = as_size((request.each_head ? info.last().heads : 1) * tokens * tokens);
  const auto layers = as_size(layers_of(attentions_of(info)));
  const std::size_t rows = layers * as_size(tokens);
  // With several kinds of attention also the residual path of the rows, and both together while they are
  // checked.
  const std::size_t beside =
      is_encoder_decoder(info) ? (layers * maps + rows) * bytes_of(info.dtype) + rows * sizeof(double) : 0;
  return layers * maps * bytes_of(info.dtype) + beside + maps * sizeof(double) +
         AttentionParts::bytes(info, tokens) + pushed_bytes(info, tokens) + rows * sizeof(double);
}

Attribution norm_attribution(const Study& study, const NormRequest& request) {
  const ModelInfo& info = study.info();
  const std::vector<AttentionKind> kinds = attentions_of(info);
  if (request.stage >= NormStage::AttentionNorm)
    if (std::string reason = lacks_post_norm(request.method, info); !reason.empty())
      throw Unsupported(reason);
  Attribution result{.maps = maps_of(study, kinds, request.each_head ? HeadAxis::Each : HeadAxis::None)};
  PartTotals totals(info.dtype);
  for_layers(study, kinds, result, [&](std::size_t k, int layer) {
    run_layer(study, request, kinds[k], layer, result, result.maps[k].values, totals);
  });
  totals.conclude(result, kinds, request.normalise_rows,
                  {request.each_head ? "" : "Gram form equals plain vectors", 1e-9});
  if (!request.normalise_rows)
    result.notes.emplace_back(
        "Scores are lengths of vectors, not shares: rows do not sum to 1 and layers differ in scale "
        "(normalise=rows divides each row by its sum).");
  return result;
}

}  // namespace headwater
