// Value zeroing by its definition, as a replay: the mix of attention without some tokens' values, taken on to
// the block's output, for the rows that are asked for. It needs nothing but the tape, so it holds for every
// family; where the shortcut holds too, a sample of pairs shows that it told the truth.
#include <algorithm>
#include <cmath>

#include <headwater/error.h>

#include "methods/value_zeroing/block.h"
#include "numerics/length.h"
#include "ops/ops.h"
#include "study/memory.h"

namespace headwater {

namespace {

template <class R>
double distance(const R* a, const R* b, Index n) {
  const double aa = squared_length(a, n), bb = squared_length(b, n);
  double gap = 0;
  if (aa == 0 || bb == 0) return aa == bb ? 0 : 1;
  for (Index d = 0; d < n; ++d)
    gap += std::pow(static_cast<double>(a[d]) / std::sqrt(aa) - static_cast<double>(b[d]) / std::sqrt(bb), 2);
  return gap / 2;
}

// [2, n, H·E]: row i of the mix for every pair (i, j), whole and without the values of j.
template <class R>
Tensor mixes(const Tensor& pattern, const Tensor& v, Index groups, std::span<const Pair> pairs,
             const ZeroingOptions& options) {
  const Index H = pattern.dim(1), T = pattern.dim(2), S = pattern.dim(3);
  const Index values = v.dim(2), G = groups, E = values / G;
  const auto n = static_cast<Index>(pairs.size());
  Tensor z = Tensor::zeros({2, n, H * E}, v.dtype());
  for (Index p = 0; p < n; ++p) {
    const Pair pair = pairs[as_size(p)];
    R *whole = z.data<R>() + p * H * E, *without = whole + n * H * E;
    std::vector<bool> zeroed(as_size(S), false);
    if (options.together.empty()) zeroed[as_size(pair.zeroed)] = true;
    for (const int token : options.together) zeroed[as_size(token)] = true;
    for (Index h = 0; h < H; ++h) {
      const bool of_head = std::find(options.heads.begin(), options.heads.end(), h) != options.heads.end();
      for (Index k = 0; k < S; ++k)
        for (Index e = 0; e < E; ++e) {
          const R term =
              pattern.data<R>()[(h * T + pair.row) * S + k] * v.data<R>()[k * values + h * G / H * E + e];
          whole[h * E + e] += term;
          if (!of_head || !zeroed[as_size(k)]) without[h * E + e] += term;
        }
    }
  }
  return z;
}

}  // namespace

std::vector<double> plain_distances(const Study& study, const AttentionKind& kind, int layer,
                                    std::span<const Pair> pairs, const ZeroingOptions& options) {
  const Place mix = kind.at(kind.sites.z, layer);
  const Tensor pattern = study.at(kind.pattern(layer)), v = study.at(kind.at(kind.sites.v, layer));
  const Tape& tape = study.tape();
  std::vector<int> rows;
  for (const Pair& pair : pairs) rows.push_back(static_cast<int>(pair.row));
  const HeadLayout* heads = as_attention_mix(study.op_at(mix).op);
  if (heads == nullptr) throw InternalError("value zeroing: expected a mix of values, found another op");
  const Tensor both = dispatch(
      v.dtype(), [&](auto r) { return mixes<decltype(r)>(pattern, v, heads->groups, pairs, options); });
  Tape again(Keep::Nothing);
  const Changed change{.at = tape.spot(mix), .copies = both, .wanted_rows_only = true};
  const Tensor outputs = tape.replay({&change, 1}, tape.spot(compared_at(study, kind, layer, options)), again,
                                     {.rows = rows, .missing = [&](Place place) { return study.at(place); }})
                             .value.value;  // [2, n, D]
  const Index D = outputs.dim(2);
  std::vector<double> result;
  dispatch(outputs.dtype(), [&](auto r) {
    const auto* whole = outputs.template data<decltype(r)>();
    const auto* without = whole + outputs.size() / 2;
    for (Index at = 0; at < outputs.size() / 2; at += D)
      result.push_back(options.rounded ? static_cast<double>(rounded_distance(whole + at, without + at, D))
                                       : distance(whole + at, without + at, D));
  });
  return result;
}

std::size_t replayed_row_bytes(const ModelInfo& info, Index tokens) {
  const auto weights = as_size(3 * info.last().heads * tokens);
  return 2 * (passing_bytes(info, 1, 1) + (is_encoder_decoder(info) ? weights * bytes_of(info.dtype) : 0));
}

Tensor zero_by_replay(const Study& study, const AttentionKind& kind, int layer, const ZeroingOptions& options,
                      const std::function<void(double)>& progress) {
  const Tensor pattern = study.at(kind.pattern(layer));
  const Index T = pattern.dim(2), S = pattern.dim(3);
  const bool set = !options.together.empty();
  std::vector<Pair> pairs;
  for (Index i = 0; i < T; ++i)
    for (Index j = 0; j < (set ? 1 : kind.causal ? i + 1 : S); ++j) pairs.push_back({i, j});
  const std::size_t tile =
      std::max<std::size_t>(1, study.scratch / replayed_row_bytes(study.info(), study.size()));
  Tensor result = Tensor::zeros(set ? Shape{T} : Shape{T, S}, pattern.dtype());
  for (std::size_t begin = 0; begin < pairs.size(); begin += tile) {
    progress(static_cast<double>(begin) / static_cast<double>(pairs.size()));
    const auto some = std::span(pairs).subspan(begin, std::min(tile, pairs.size() - begin));
    const std::vector<double> found = plain_distances(study, kind, layer, some, options);
    dispatch(result.dtype(), [&]<class R>(R) {
      for (std::size_t p = 0; p < some.size(); ++p)
        result.data<R>()[set ? some[p].row : some[p].row * S + some[p].zeroed] = static_cast<R>(found[p]);
    });
  }
  progress(1);
  return result;
}

}  // namespace headwater
