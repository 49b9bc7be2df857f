// Value zeroing by its definition, as a replay: the mix of attention without some tokens' values, taken on to
// the block's output, for the rows that are asked for. It needs nothing but the tape, so it holds for every
// family; where the shortcut holds too, a sample of pairs shows that it told the truth.
#include <algorithm>
#include <cmath>

#include <headwater/error.h>

#include "methods/value_zeroing/block.h"
#include "ops/ops.h"

namespace headwater {

namespace {

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

// [2, n, H·E]: row i of the mix for every pair (i, j), whole and without the values of j.
template <class R>
Tensor mixes(const Tensor& pattern, const Tensor& v, Index groups, std::span<const Pair> pairs,
             const ZeroingOptions& options) {
  const Index H = pattern.dim(1), T = pattern.dim(2), S = pattern.dim(3);
  const Index values = v.dim(2), G = groups, E = values / G;
  const auto n = static_cast<Index>(pairs.size());
  Tensor z = Tensor::zeros({2, n, H * E}, v.dtype());
  for (Index p = 0; p < n; ++p) {
    const Pair pair = pairs[static_cast<std::size_t>(p)];
    R *whole = z.data<R>() + p * H * E, *without = whole + n * H * E;
    std::vector<bool> zeroed(static_cast<std::size_t>(S), false);
    if (options.together.empty()) zeroed[static_cast<std::size_t>(pair.zeroed)] = true;
    for (const int token : options.together) zeroed[static_cast<std::size_t>(token)] = true;
    for (Index h = 0; h < H; ++h) {
      const bool of_head = std::find(options.heads.begin(), options.heads.end(), h) != options.heads.end();
      for (Index k = 0; k < S; ++k)
        for (Index e = 0; e < E; ++e) {
          const R term =
              pattern.data<R>()[(h * T + pair.row) * S + k] * v.data<R>()[k * values + h * G / H * E + e];
          whole[h * E + e] += term;
          if (!of_head || !zeroed[static_cast<std::size_t>(k)]) without[h * E + e] += term;
        }
    }
  }
  return z;
}

}  // namespace

std::vector<double> plain_distances(const Study& study, int layer, std::span<const Pair> pairs,
                                    const ZeroingOptions& options) {
  const Tensor pattern = study.at(Site::Pattern, layer), v = study.at(Site::V, layer);
  const Tape& tape = study.tape();
  std::vector<int> rows;
  for (const Pair& pair : pairs) rows.push_back(static_cast<int>(pair.row));
  const HeadLayout* heads = as_attention_mix(study.op_at({Site::Z, layer}).op);
  if (heads == nullptr) throw InternalError("value zeroing: expected a mix of values, found another op");
  const Tensor both = dispatch(
      v.dtype(), [&](auto r) { return mixes<decltype(r)>(pattern, v, heads->groups, pairs, options); });
  Tape again(Keep::Nothing);
  const Changed without{.at = tape.spot({Site::Z, layer}), .copies = both, .wanted_rows_only = true};
  const Tensor outputs = tape.replay({&without, 1}, tape.spot(compared_at(study, layer, options)), again,
                                     {.rows = rows, .missing = [&](Place place) { return study.at(place); }})
                             .value.value;  // [2, n, D]
  const Index D = outputs.dim(2);
  std::vector<double> result;
  dispatch(outputs.dtype(), [&](auto r) {
    const auto* whole = outputs.template data<decltype(r)>();
    for (Index at = 0; at < outputs.size() / 2; at += D)
      result.push_back(distance(whole + at, whole + at + outputs.size() / 2, D));
  });
  return result;
}

}  // namespace headwater
