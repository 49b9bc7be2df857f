// Value zeroing (Mohebbi et al., 2023) without running the block again. With u^h_j = v^h_j W_O^h,
//
//   δ_ij = Σ_h α^h_ij u^h_j                              what the zeroed values of j take out of row i
//   σ_ij = the norm's divisor for a_i − δ_ij             a: the sum of the residual path and attention
//   φ_ij = f((e_i − Σ_h α^h_ij k^h_j) / σ_ij + c)        hidden layer; k^h_j = v^h_j M^h, M folded
//   (φ_ij − φ_i) W_2                                     change of the output: the one product left
//
// (value_zeroing_fold.h makes M); then the change goes through the residual sum and the last norm, and the
// distance 1 − cos comes from differences alone (kernels/shifts.h). Pairs (i, j) are numbered j by j, and a
// tile takes some hundred of them through all four lines on one thread, while they are in cache; threads
// take the next tile when they are done and meet only at the end. Causal models have only the pairs i ≥ j.
#include "methods/value_zeroing/block.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/parallel.h"
#include "methods/value_zeroing/clean.h"
#include "methods/value_zeroing/fold.h"

namespace headwater {

namespace {

constexpr Index least_sources = 8, most_sources = 64;  // tokens j whose parts are made together
constexpr Index least_rows = 32, most_rows = 384;      // pairs in a tile
constexpr Index block_rows = 64, block_columns = 256;  // a block of e and φ fits a second-level cache
constexpr Index rows_at_once = 4;  // taken through all passes of a norm while they are in a first-level cache

// What zeroing takes from the tokens j0 … j0 + count: one part for every zeroed head.
struct Sources {
  Tensor p;         // [count, T, parts] α
  Tensor u;         // [count, parts, D]
  Tensor up, gate;  // [count, parts, stride] k of each map, rows of F
};

struct TileShape {
  Index sources, rows;
};

// Bytes of one more source token and of one more row of a tile.
struct Costs {
  std::size_t source, row;
};
Costs costs_of(Index T, Index parts, Index D, Index F, Index maps, bool fold, std::size_t number) {
  const auto bytes = [&](Index n) { return as_size(n) * number; };
  return {bytes(parts * (T + D + maps * (F + 32)) + (fold ? 0 : parts * (D + F))), bytes(2 * D + F + 2)};
}

// Larger than the least by what the scratch allows. Bits do not depend on it.
TileShape tile_shape(const CleanBlock& block, Index parts, bool fold, std::size_t scratch) {
  const Costs costs =
      costs_of(block.T, parts, block.D, block.F, block.gate ? 2 : 1, fold, bytes_of(block.v.dtype()));
  const auto more_rows = static_cast<Index>(scratch / 2 / costs.row) / thread_count();
  const auto more_sources = static_cast<Index>(scratch / 2 / costs.source);
  return {std::min({block.T, most_sources, least_sources + more_sources}),
          std::min(most_rows, least_rows + more_rows)};
}

// From q, the change of rows i … i + n before the last norm, to their distances. q is used up.
template <class R>
void distances(const CleanBlock& block, const ZeroingOptions& options, Index i, Index n, R* q, R* to) {
  const Index D = block.D;
  if (block.last) kernels::norm_shift<R>(block.last->from<R>(i), q, q, nullptr, n, D);
  const R* output = block.output.data<R>() + i * D;
  if (!options.rounded) return kernels::cosine_shift<R>(output, block.length.data<R>() + i, q, to, n, D);
  kernels::accumulate<R>(output, q, n * D);
  for (Index r = 0; r < n; ++r) to[r] = rounded_distance(output + r * D, q + r * D, D);
}

template <class R>
class Zeroing {
 public:
  Zeroing(const CleanBlock& block, const ZeroingOptions& options, bool fold, TileShape shape)
      : block_(block),
        options_(options),
        parts_(static_cast<Index>(options.heads.size())),
        stride_(kernels::spread_stride<R>(block.F)),
        shape_(shape),
        // [D, H·E]: unpacked once for the u of all sources
        out_(block.weights->attention.out.weight->dense()),
        workers_(as_size(thread_count())) {
    if (fold)
      fold_ = fold_of(*block.weights, *block.before.weights, options.fold == ZeroingOptions::Folding::Keep);
  }

  // D [T, T], which starts as zeros.
  void each_token(R* to, const std::function<void(double)>& progress) {
    for (Index j0 = 0; j0 < block_.T; j0 += shape_.sources) {
      j0_ = j0;
      const Index count = std::min(shape_.sources, block_.T - j0);
      make_sources(count);
      cut(count);
      run_tiles(to, [&](double done) {
        progress((static_cast<double>(j0) + done * static_cast<double>(count)) /
                 static_cast<double>(block_.T));
      });
    }
  }

 private:
  // The pairs of the sources with the rows i0 … i1, source by source; causal: only rows from the source on.
  struct Pairs {
    Index i0, i1;
    std::vector<Index> starts;  // of each source's pairs, and their end
  };
  // Pairs from … from + rows of a block.
  struct Tile {
    const Pairs* pairs;
    Index from, rows;
  };
  // What one thread computes a tile in.
  struct Worker {
    Tensor q, o, hidden, inverse, distance;  // [rows, D] twice, [rows, F], [rows] twice
  };

  // Blocks of pairs, and tiles of about the same size.
  void cut(Index count) {
    blocks_.clear();
    tiles_.clear();
    for (Index i0 = block_.heads.causal ? j0_ : 0; i0 < block_.T; i0 += block_rows) {
      Pairs pairs{i0, std::min(block_.T, i0 + block_rows), {0}};
      for (Index j = 0; j < count; ++j)
        pairs.starts.push_back(pairs.starts.back() + std::max<Index>(0, pairs.i1 - first_row(pairs, j)));
      blocks_.push_back(std::move(pairs));
    }
    for (const Pairs& pairs : blocks_) {
      const Index all = pairs.starts.back(), n = (all + shape_.rows - 1) / shape_.rows;
      for (Index k = 0; k < n; ++k) tiles_.push_back({&pairs, all * k / n, all * (k + 1) / n - all * k / n});
    }
  }
  Index first_row(const Pairs& pairs, Index j) const {
    return block_.heads.causal ? std::max(pairs.i0, j0_ + j) : pairs.i0;
  }

  // body(j, i, n, at): the tile's rows at … at + n are token j0_ + j with the rows i … i + n.
  template <class Body>
  void for_runs(const Tile& tile, const Body& body) const {
    const std::vector<Index>& starts = tile.pairs->starts;
    Index begin = tile.from;
    const Index end = tile.from + tile.rows;
    for (auto next = std::upper_bound(starts.begin(), starts.end(), begin); begin < end; ++next) {
      const Index j = next - starts.begin() - 1, n = std::min(end, *next) - begin;
      if (n <= 0) continue;
      body(j, first_row(*tile.pairs, j) + begin - starts[as_size(j)], n, begin - tile.from);
      begin += n;
    }
  }

  // Only the calling thread reports, and may be stopped by that.
  void run_tiles(R* to, const std::function<void(double)>& progress) {
    std::atomic<std::size_t> next = 0;
    parallel_for(static_cast<Index>(workers_.size()), 1, [&](Index begin, Index) {
      Worker& worker = workers_[as_size(begin)];
      try {
        for (std::size_t t = next++; t < tiles_.size(); t = next++) {
          compute(tiles_[t], worker);
          const R* distance = std::as_const(worker.distance).template data<R>();
          for_runs(tiles_[t], [&](Index j, Index i, Index n, Index at) {
            for (Index r = 0; r < n; ++r) to[(i + r) * block_.T + j0_ + j] = distance[at + r];
          });
          if (begin == 0) progress(static_cast<double>(t + 1) / static_cast<double>(tiles_.size()));
        }
      } catch (...) {
        next = tiles_.size();
        throw;
      }
    });
  }

  void make_sources(Index count) {
    const Index T = block_.T, D = block_.D, E = block_.E, inner = Index{block_.heads.heads} * E;
    const Index values = Index{block_.heads.groups} * E;
    const DType dtype = dtype_of<R>();
    sources_ = {};  // gives its buffers back first
    sources_ = {Tensor({count, T, parts_}, dtype), Tensor({count, parts_, D}, dtype), {}, {}};
    const R* v = block_.v.data<R>() + j0_ * values;
    const R* pattern = block_.pattern.data<R>();
    R* p = sources_.p.data<R>();
    parallel_for(count, 1 + 65536 / (T * parts_), [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j)
        for (Index i = 0; i < T; ++i)
          for (Index h = 0; h < parts_; ++h)
            p[(j * T + i) * parts_ + h] = pattern[(options_.heads[as_size(h)] * T + i) * T + j0_ + j];
    });
    by_head({.m = count, .n = D, .k = E, .transpose_b = true, .lda = values, .ldb = inner, .ldc = parts_ * D},
            v, out_.template data<R>(), E, sources_.u.data<R>(), D);
    const MlpWeights& mlp = block_.weights->mlp;
    sources_.up = hidden_parts(count, v, values, mlp.up, fold_ ? &fold_->up : nullptr);
    if (mlp.gate) sources_.gate = hidden_parts(count, v, values, *mlp.gate, fold_ ? &fold_->gate : nullptr);
  }

  // k [count, parts, stride]: by the fold, or from u.
  Tensor hidden_parts(Index count, const R* v, Index values, const LinearWeights& w, const Tensor* fold) {
    const Index F = block_.F, E = block_.E;
    Tensor k({count, parts_, stride_}, dtype_of<R>());
    if (fold == nullptr) {
      Tensor scaled = sources_.u.clone(), packed({count * parts_, F}, dtype_of<R>());
      centre_and_scale<R>(scaled.data<R>(), count * parts_, *block_.before.weights);
      w.weight->times_transposed<R>(scaled.data<R>(), nullptr, packed.data<R>(), count * parts_);
      for (Index row = 0; row < count * parts_; ++row)
        std::copy_n(packed.data<R>() + row * F, F, k.data<R>() + row * stride_);
      return k;
    }
    by_head({.m = count, .n = F, .k = E, .lda = values, .ldc = parts_ * stride_}, v, fold->data<R>(), E * F,
            k.data<R>(), stride_);
    return k;
  }

  // The values of each zeroed head times its own matrix: matrices stand `step` apart, results `apart`.
  void by_head(const kernels::Gemm& shape, const R* v, const R* matrices, Index step, R* to, Index apart) {
    std::vector<kernels::GemmTask<R>> tasks;
    for (const int head : options_.heads) {
      tasks.push_back({v + block_.group(head) * block_.E, matrices + head * step, to});
      to += apart;
    }
    kernels::gemm_batch<R>(shape, tasks);
  }

  // The tile's distances. The hidden layer is taken in blocks of columns: what was read for one source is
  // still in cache for the next.
  void compute(const Tile& tile, Worker& worker) const {
    const Index D = block_.D, F = block_.F, rows = tile.rows;
    if (worker.q.empty()) {
      const DType dtype = dtype_of<R>();
      worker = {Tensor({shape_.rows, D}, dtype), Tensor({shape_.rows, D}, dtype),
                Tensor({shape_.rows, F}, dtype), Tensor({shape_.rows}, dtype), Tensor({shape_.rows}, dtype)};
    }
    for_runs(tile, [&](Index j, Index i, Index n, Index at) { through_norm(worker, j, i, n, at); });
    for (Index column = 0; column < F; column += block_columns)
      for_runs(tile, [&](Index j, Index i, Index n, Index at) { into_hidden(worker, j, i, n, at, column); });
    block_.weights->mlp.down.weight->times_transposed<R>(worker.hidden.template data<R>(), nullptr,
                                                         worker.o.template data<R>(), rows);
    for_runs(tile, [&](Index, Index i, Index n, Index at) { compare(worker, i, n, at); });
  }

  // The change of rows i … i + n when token j is zeroed, at row `at` of the tile: before the feed-forward
  // part,
  void through_norm(Worker& worker, Index j, Index i, Index n, Index at) const {
    const Index D = block_.D;
    for (Index r = 0; r < n; r += rows_at_once) {
      const Index rows = std::min(rows_at_once, n - r);
      R* q = worker.q.template data<R>() + (at + r) * D;
      kernels::remove_parts<R>(sources_.p.data<R>() + (j * block_.T + i + r) * parts_,
                               sources_.u.data<R>() + j * parts_ * D, q, rows, parts_, D);
      kernels::norm_shift<R>(block_.before.from<R>(i + r), q, block_.post_norm ? q : nullptr,
                             worker.inverse.template data<R>() + at + r, rows, D);
    }
  }

  // and in its hidden layer, from `column` on.
  void into_hidden(Worker& worker, Index j, Index i, Index n, Index at, Index column) const {
    const Index F = block_.F;
    const auto map = [&](const HiddenState& state, const Tensor& k) {
      return kernels::HiddenRows<R>{state.e.data<R>() + i * F, k.data<R>() + j * parts_ * stride_,
                                    state.c.data<R>(), stride_};
    };
    const kernels::HiddenRows<R> up = map(block_.up, sources_.up);
    const kernels::HiddenRows<R> gate = block_.gate ? map(*block_.gate, sources_.gate) : up;
    kernels::hidden_shift<R>(block_.weights->mlp.f, up, block_.gate ? &gate : nullptr,
                             {.p = sources_.p.data<R>() + (j * block_.T + i) * parts_,
                              .s = worker.inverse.template data<R>() + at,
                              .rows = n,
                              .parts = parts_,
                              .n = F,
                              .begin = column,
                              .end = std::min(F, column + block_columns)},
                             block_.hidden.data<R>() + i * F, worker.hidden.template data<R>() + at * F);
  }

  // From the change of the feed-forward output to the distance.
  void compare(Worker& worker, Index i, Index n, Index at) const {
    const Index D = block_.D;
    for (Index r = 0; r < n; r += rows_at_once) {
      const Index rows = std::min(rows_at_once, n - r);
      R* q = worker.q.template data<R>() + (at + r) * D;
      kernels::accumulate<R>(worker.o.template data<R>() + (at + r) * D, q, rows * D);
      distances<R>(block_, options_, i + r, rows, q, worker.distance.template data<R>() + at + r);
    }
  }

  const CleanBlock& block_;
  const ZeroingOptions& options_;
  Index parts_, stride_, j0_ = 0;
  std::vector<Pairs> blocks_;
  std::vector<Tile> tiles_;
  TileShape shape_;
  Tensor out_;
  std::shared_ptr<const Fold> fold_;
  Sources sources_;
  std::vector<Worker> workers_;
};

}  // namespace

bool zeroing_folds(const ModelInfo& info, Index tokens, const ZeroingOptions& options) {
  using enum ZeroingOptions::Folding;
  if (!options.together.empty() || options.fold == Never) return false;
  return options.fold == Keep || fold_pays(tokens, info.last().head_width, info.last().width);
}

Place compared_at(const Study& study, const AttentionKind& kind, int layer, const ZeroingOptions& options) {
  const bool last = options.final_norm && layer + 1 == kind.layers;
  const Place normed(Site::FinalNorm, 0, kind.stack);
  return last && study.tape().recorded(normed) ? normed : kind.at(Site::ResidPost, layer);
}

Tensor zero_values(const Study& study, const AttentionKind& kind, int layer, const ZeroingOptions& options,
                   const std::function<void(double)>& progress) {
  // One set of tokens is one changed row per token: the block's own work, not worth a shortcut.
  const std::optional<CleanBlock> plain =
      options.together.empty() ? clean_block(study, kind, layer, options) : std::nullopt;
  if (!plain) return zero_by_replay(study, kind, layer, options, progress);
  const CleanBlock& block = *plain;
  Tensor result;
  dispatch(study.info().dtype, [&]<class R>(R) {
    const bool fold = zeroing_folds(study.info(), block.T, options);
    const TileShape shape = tile_shape(block, static_cast<Index>(options.heads.size()), fold, study.scratch);
    result = Tensor::zeros({block.T, block.T}, study.info().dtype);
    Zeroing<R>(block, options, fold, shape).each_token(result.data<R>(), progress);
  });
  progress(1);
  return result;
}

namespace {

Index map_count(const ModelInfo& info) {
  return info.pre_norm ? 2 : 1;
}

bool replays(const ModelInfo& info, const ZeroingOptions& options) {
  return !info.plain_blocks || !options.together.empty();
}

Costs planned_costs(const ModelInfo& info, Index tokens, const ZeroingOptions& options) {
  return costs_of(tokens, static_cast<Index>(options.heads.size()), info.last().width,
                  info.last().feed_forward, map_count(info), zeroing_folds(info, tokens, options),
                  bytes_of(info.dtype));
}

}  // namespace

std::size_t zeroing_bytes(const ModelInfo& info, Index tokens, const ZeroingOptions& options) {
  const Index T = tokens, D = info.last().width, F = info.last().feed_forward, maps = map_count(info);
  const Index inner = Index{info.last().heads} * info.last().head_width;
  const bool fold = zeroing_folds(info, tokens, options);
  const Index layers = options.fold == ZeroingOptions::Folding::Keep ? info.last().layers : 1;
  const std::size_t number = bytes_of(info.dtype);
  const Costs costs = planned_costs(info, T, options);
  const Index clean = T * (4 * D + (1 + maps) * F + 4) + maps * F + T * T;
  const Index weights = 2 * inner * D + (fold ? layers * maps * inner * F : 0);
  // A replay lists its pairs, and copies what later attention reads for its two copies of a row.
  std::size_t replayed = 0;
  if (replays(info, options))
    replayed = replayed_row_bytes(info, T) + as_size(T * T) * sizeof(Pair) + as_size(4 * T * inner) * number;
  return replayed + as_size(clean + weights) * number + as_size(std::min(T, least_sources)) * costs.source +
         as_size(least_rows * thread_count()) * costs.row;
}

std::size_t most_zeroing_scratch(const ModelInfo& info, Index tokens, const ZeroingOptions& options) {
  const Costs costs = planned_costs(info, tokens, options);
  const Index sources = std::max<Index>(0, std::min(tokens, most_sources) - least_sources);
  const std::size_t tiles = 2 * std::max(as_size((most_rows - least_rows) * thread_count()) * costs.row,
                                         as_size(sources) * costs.source);  // each has one half
  return replays(info, options) ? std::max(tiles, as_size(tokens * tokens) * replayed_row_bytes(info, tokens))
                                : tiles;
}

}  // namespace headwater
