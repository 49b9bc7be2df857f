// y[b, p, :] = x[b, positions[b][p], :]: the rows a head reads. `select` takes one row and drops its axis.
// One list of positions serves batches of any size.
//
//   pull  adds each row's signal back to its place, zero elsewhere          push  picks the same rows
// Relevance goes back the same way.

#include <algorithm>
#include <numeric>
#include <string>

#include <fmt/format.h>
#include <headwater/error.h>

#include "ops/ops.h"
#include "ops/relevance.h"

namespace headwater {
namespace {

class GatherOp final : public Op {
 public:
  enum class TokenAxis { Keep, Drop };
  GatherOp(std::vector<std::vector<int>> positions, TokenAxis axis)
      : positions_(std::move(positions)), axis_(axis) {}
  std::string_view name() const override { return "gather"; }
  Rows rows_needed(std::size_t /*input*/, const Rows& wanted) const override {
    if (positions_.size() != 1) return {};
    return wanted ? picked_of(*wanted) : Rows(positions_[0]);
  }
  // The rows needed come as they are wanted.
  std::shared_ptr<const Op> for_rows(const Rows& wanted) const override {
    if (positions_.size() != 1) return Op::for_rows(wanted);
    std::vector<int> order(wanted ? wanted->size() : positions_[0].size());
    std::iota(order.begin(), order.end(), 0);
    return std::make_shared<GatherOp>(std::vector<std::vector<int>>{std::move(order)}, axis_);
  }
  std::shared_ptr<const Op> for_input(Index input) const override {
    if (positions_.size() == 1) return shared_from_this();
    return std::make_shared<GatherOp>(std::vector<std::vector<int>>{positions_[as_size(input)]}, axis_);
  }

  Tensor forward(std::span<const Tensor> x) const override {
    const Shape& shape = x[0].shape();
    bool inside =
        shape.rank() == 3 && (positions_.size() == 1 || shape[0] == static_cast<Index>(positions_.size()));
    for (const auto& row : positions_)
      inside = inside && row.size() == positions_[0].size() &&
               std::all_of(row.begin(), row.end(), [&](int p) { return p >= 0 && p < shape[1]; });
    if (!inside)
      throw InternalError(fmt::format("gather: expected x [{}, T, D] with T above every position, found {}",
                                      positions_.size() == 1 ? "B" : std::to_string(positions_.size()),
                                      shape.str()));
    return picked(x[0], shape[0], shape[1], {});
  }

  std::vector<Tensor> pull(const Call& call, const Tensor& arrived, const Rules& rules) const override {
    const Tensor signal =
        is_relevance(rules) ? through_copy(arrived, call.y.to(arrived.dtype()), rules) : arrived;
    const Index seeds = stack_of(signal, call.y);
    const Index tokens = call.x[0].dim(1), width = call.x[0].dim(2), rows = count();
    Tensor dx = Tensor::zeros(stacked_like(signal, call.y, call.x[0]), signal.dtype());
    dispatch(signal.dtype(), [&]<class R>(R) {
      for (Index b = 0; b < seeds * call.x[0].dim(0); ++b)
        for (Index p = 0; p < rows; ++p)
          kernels::accumulate(signal.data<R>() + (b * rows + p) * width,
                              dx.data<R>() + (b * tokens + position(b, p)) * width, width);
    });
    return {dx};
  }

  Tensor push(const Call& call, std::span<const Tensor> parts, const Rules& /*rules*/) const override {
    const Index seeds = stack_of(parts[0], call.x[0]);
    return picked(parts[0], seeds * call.x[0].dim(0), call.x[0].dim(1),
                  stacked_like(parts[0], call.x[0], call.y));
  }

 private:
  std::vector<int> picked_of(const std::vector<int>& rows) const {
    std::vector<int> picked;
    for (const int row : rows) picked.push_back(positions_[0][as_size(row)]);
    return picked;
  }
  Index count() const { return positions_.empty() ? 0 : static_cast<Index>(positions_[0].size()); }
  // b runs over seeds × batch.
  Index position(Index b, Index p) const { return positions_[as_size(b) % positions_.size()][as_size(p)]; }

  Tensor picked(const Tensor& x, Index batch, Index tokens, Shape shape) const {
    const Index width = x.shape().back();
    if (shape.rank() == 0)
      shape = axis_ == TokenAxis::Keep ? Shape{batch, count(), width} : Shape{batch, width};
    return computed(shape, x.dtype(), [&]<class R>(R* y) {
      for (Index b = 0; b < batch; ++b)
        for (Index p = 0; p < count(); ++p)
          std::copy_n(x.data<R>() + (b * tokens + position(b, p)) * width, width,
                      y + (b * count() + p) * width);
    });
  }

  std::vector<std::vector<int>> positions_;  // [B][P], or one list for all
  TokenAxis axis_;
};

}  // namespace

Var gather(const Var& x, const std::vector<int>& positions, Place place) {
  return x.tape->record(
      std::make_shared<GatherOp>(std::vector<std::vector<int>>{positions}, GatherOp::TokenAxis::Keep), {x},
      place);
}

Var select(const Var& x, const std::vector<int>& position_of_row, Place place) {
  std::vector<std::vector<int>> rows;
  for (const int position : position_of_row) rows.push_back({position});
  const bool alike = std::all_of(rows.begin(), rows.end(), [&](const auto& row) { return row == rows[0]; });
  if (alike && static_cast<Index>(rows.size()) == x.value.dim(0)) rows.resize(1);
  return x.tape->record(std::make_shared<GatherOp>(std::move(rows), GatherOp::TokenAxis::Drop), {x}, place);
}

}  // namespace headwater
