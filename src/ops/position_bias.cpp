// y[b, h, i, j] = x[b, h, i, j] + table[h, bucket(j − i)]: relative positions (Raffel et al., 2020).
//
// bucket(d), of n buckets up to the distance M. Bidirectional: n ← n/2 for each side, the second half for d >
// 0, and d ← |d|; otherwise d ← max(−d, 0). Distances below e = n/2 have a bucket each, the others share the
// rest by their logarithm:
//   bucket = min(e + ⌊ ln(d/e) / ln(M/e) · (n − e) ⌋, n − 1)
// in float32 whatever the working type, as the checkpoints were trained: it decides where a border falls.
//
//   pull  m → m          push  u → u          the table is a constant
// Relevance forms share R out as `add` does, R_x = x R/y; what belongs to the table stays there.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <headwater/error.h>

#include "ops/ops.h"
#include "ops/relevance.h"

namespace headwater {
namespace {

class PositionBiasOp final : public Op {
 public:
  PositionBiasOp(Tensor table, const PositionBuckets& buckets, Index first, Rows rows = {})
      : table_(std::move(table)), buckets_(buckets), first_(first), rows_(std::move(rows)) {}
  std::string_view name() const override { return "position_bias"; }
  Rows rows_needed(std::size_t /*input*/, const Rows& wanted) const override { return wanted; }
  std::shared_ptr<const Op> for_rows(const Rows& wanted) const override {
    if (!wanted) return shared_from_this();
    return std::make_shared<PositionBiasOp>(table_, buckets_, first_, wanted);
  }

  Tensor forward(std::span<const Tensor> x) const override {
    const Shape& shape = x[0].shape();
    if (shape.rank() != 4 || shape[1] != table_.dim(0) ||
        (rows_ && shape[2] != static_cast<Index>(rows_->size())))
      throw InternalError(
          fmt::format("position_bias: expected scores [B, {}, T, S], found {}", table_.dim(0), shape.str()));
    return biased(x[0]);
  }

  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& rules) const override {
    stack_of(signal, call.y);
    if (!is_relevance(rules)) return {signal};
    const Tensor x = call.x[0].to(signal.dtype());
    const Tensor bias = biased(Tensor::zeros(call.x[0].shape(), call.x[0].dtype())).to(signal.dtype());
    return {relevance_of_sum(signal, x, bias, rules, rules.relevance == Rules::Relevance::Chefer)[0]};
  }

  Tensor push(const Call& /*call*/, std::span<const Tensor> parts, const Rules& /*rules*/) const override {
    return parts[0];
  }

 private:
  Index query_of(Index row) const { return first_ + (rows_ ? Index{(*rows_)[as_size(row)]} : row); }

  Tensor biased(const Tensor& x) const {
    const Index heads = x.dim(1), queries = x.dim(2), keys = x.dim(3), count = table_.dim(1);
    Index last = 0;  // the latest query
    for (Index i = 0; i < queries; ++i) last = std::max(last, query_of(i));
    std::vector<Index> bucket;  // of the distances −last … keys − 1
    for (Index d = -last; d < keys; ++d) bucket.push_back(bucket_of(d, buckets_));
    const auto width = static_cast<Index>(bucket.size());
    Tensor y(x.shape(), x.dtype());
    dispatch(x.dtype(), [&]<class R>(R) {
      std::vector<R> by_distance(as_size(heads * width));
      for (Index h = 0; h < heads; ++h)
        for (Index d = 0; d < width; ++d)
          by_distance[as_size(h * width + d)] = table_.data<R>()[h * count + bucket[as_size(d)]];
      for (Index b = 0; b < x.dim(0); ++b)
        for (Index h = 0; h < heads; ++h)
          for (Index i = 0; i < queries; ++i) {
            const Index at = ((b * heads + h) * queries + i) * keys;
            kernels::add(x.data<R>() + at, by_distance.data() + h * width + last - query_of(i),
                         y.data<R>() + at, keys);
          }
    });
    return y;
  }

  Tensor table_;
  PositionBuckets buckets_;
  Index first_;  // the query of row 0
  Rows rows_;    // which queries the rows are of, counted from there; none: all, in order
};

}  // namespace

int bucket_of(Index distance, const PositionBuckets& buckets) {
  int count = buckets.buckets, side = 0;
  if (buckets.bidirectional) {
    count /= 2;
    side = distance > 0 ? count : 0;
    distance = std::abs(distance);
  } else {
    distance = std::max<Index>(-distance, 0);
  }
  const int exact = count / 2;
  if (distance < exact) return side + static_cast<int>(distance);
  const float share = std::log(static_cast<float>(distance) / static_cast<float>(exact)) /
                      static_cast<float>(std::log(static_cast<double>(buckets.max_distance) / exact)) *
                      static_cast<float>(count - exact);
  return side + std::min(exact + static_cast<int>(share), count - 1);
}

Var position_bias(const Var& scores, const Tensor& table, const PositionBuckets& buckets, Place place,
                  Index first) {
  return scores.tape->record(std::make_shared<PositionBiasOp>(table, buckets, first), {scores}, place);
}

}  // namespace headwater
