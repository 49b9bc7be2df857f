// join       y = [x_1; x_2; …]: batches one after the other, so that copies that meet go on as one
// members    y = x[begin … begin + count): some of a batch
// take_rows  y[b, …, r, :] = x[b, …, rows[r], :] of axis 1, or 2 of scores and patterns
//
//   pull  hands every input its own part of the signal          push  puts the parts where the values went
// Relevance is pulled in the same way.
#include "tape/copies.h"

#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

#include "kernels/kernels.h"

namespace headwater {
namespace {

// Copies `count` numbers of every seed from one place in it to another; a seed has `step` numbers on either
// side.
struct PlaceInSeed {
  Index step, begin;
};
void copy_seeds(const Tensor& from, PlaceInSeed there, Tensor& to, PlaceInSeed here, Index seeds,
                Index count) {
  dispatch(to.dtype(), [&]<class R>(R) {
    for (Index s = 0; s < seeds; ++s)
      std::copy_n(from.data<R>() + s * there.step + there.begin, count,
                  to.data<R>() + s * here.step + here.begin);
  });
}

class JoinOp final : public Op {
 public:
  std::string_view name() const override { return "join"; }

  Tensor forward(std::span<const Tensor> x) const override {
    Index members = 0;
    for (const Tensor& batch : x) {
      if (batch.rank() == 0 || batch.shape().without_front() != x[0].shape().without_front())
        throw InternalError(
            fmt::format("join: expected batches like {}, found {}", x[0].shape().str(), batch.shape().str()));
      members += batch.dim(0);
    }
    Tensor y(x[0].shape().without_front().with_front(members), x[0].dtype());
    dispatch(y.dtype(), [&]<class R>(R) {
      R* to = y.data<R>();
      for (const Tensor& batch : x) to = std::copy_n(batch.data<R>(), batch.size(), to);
    });
    return y;
  }

  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& /*rules*/) const override {
    const Index seeds = stack_of(signal, call.y);
    std::vector<Tensor> back;
    Index offset = 0;
    for (const Tensor& batch : call.x) {
      if (signal.rank() == call.y.rank()) {
        back.push_back(signal.rows(offset / (call.y.size() / call.y.dim(0)), batch.dim(0)));
      } else {
        Tensor own(stacked_like(signal, call.y, batch), signal.dtype());
        copy_seeds(signal, {call.y.size(), offset}, own, {batch.size(), 0}, seeds, batch.size());
        back.push_back(own);
      }
      offset += batch.size();
    }
    return back;
  }

  Tensor push(const Call& call, std::span<const Tensor> parts, const Rules& /*rules*/) const override {
    const auto given =
        as_size(std::find_if(parts.begin(), parts.end(), [](const Tensor& part) { return !part.empty(); }) -
                parts.begin());
    const Index seeds = stack_of(parts[given], call.x[given]);
    Tensor dy = Tensor::zeros(stacked_like(parts[given], call.x[given], call.y), parts[given].dtype());
    Index offset = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Index size = call.x[k].size();
      if (!parts[k].empty()) copy_seeds(parts[k], {size, 0}, dy, {call.y.size(), offset}, seeds, size);
      offset += size;
    }
    return dy;
  }
};

class MembersOp final : public Op {
 public:
  MembersOp(Index begin, Index count) : begin_(begin), count_(count) {}
  std::string_view name() const override { return "members"; }

  Tensor forward(std::span<const Tensor> x) const override {
    if (x[0].rank() == 0 || begin_ + count_ > x[0].dim(0))
      throw InternalError(fmt::format("members: expected a batch of at least {}, found {}", begin_ + count_,
                                      x[0].shape().str()));
    return x[0].rows(begin_, count_);
  }

  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& /*rules*/) const override {
    const Index seeds = stack_of(signal, call.y), offset = begin_ * (call.y.size() / count_);
    Tensor back = Tensor::zeros(stacked_like(signal, call.y, call.x[0]), signal.dtype());
    copy_seeds(signal, {call.y.size(), 0}, back, {call.x[0].size(), offset}, seeds, call.y.size());
    return {back};
  }

  Tensor push(const Call& call, std::span<const Tensor> parts, const Rules& /*rules*/) const override {
    const Index seeds = stack_of(parts[0], call.x[0]), offset = begin_ * (call.y.size() / count_);
    Tensor out(stacked_like(parts[0], call.x[0], call.y), parts[0].dtype());
    copy_seeds(parts[0], {call.x[0].size(), offset}, out, {call.y.size(), 0}, seeds, call.y.size());
    return out;
  }

 private:
  Index begin_, count_;
};

class TakeRowsOp final : public Op {
 public:
  explicit TakeRowsOp(std::vector<int> rows) : rows_(std::move(rows)) {}
  std::string_view name() const override { return "take_rows"; }

  Tensor forward(std::span<const Tensor> x) const override { return picked_rows(x[0], rows_); }

  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& /*rules*/) const override {
    Tensor back = Tensor::zeros(stacked_like(signal, call.y, call.x[0]), signal.dtype());
    const Index seeds = stack_of(signal, call.y), inner = call.y.shape().back();
    const Index T = call.x[0].dim(row_axis(call.x[0])), n = static_cast<Index>(rows_.size());
    const Index outer = seeds * call.y.size() / (n * inner);
    dispatch(signal.dtype(), [&]<class R>(R) {
      for (Index o = 0; o < outer; ++o)
        for (Index k = 0; k < n; ++k)
          kernels::accumulate(signal.data<R>() + (o * n + k) * inner,
                              back.data<R>() + (o * T + rows_[as_size(k)]) * inner, inner);
    });
    return {back};
  }

  Tensor push(const Call& call, std::span<const Tensor> parts, const Rules& /*rules*/) const override {
    // Seeds only add to the outer axes.
    const Shape& of = call.x[0].shape();
    const Index inner = of.back(), T = of[row_axis(call.x[0])];
    const Tensor flat = parts[0].reshaped({parts[0].size() / (T * inner), T, inner});
    return picked_rows(flat, rows_).reshaped(stacked_like(parts[0], call.x[0], call.y));
  }

 private:
  std::vector<int> rows_;
};

}  // namespace

int row_axis(const Tensor& value) {
  return value.rank() == 4 ? 2 : 1;
}

Tensor picked_rows(const Tensor& value, const std::vector<int>& rows) {
  const int axis = row_axis(value);
  const auto inside = [&](int row) { return row >= 0 && row < value.dim(axis); };
  if (value.rank() < 3 || value.rank() > 4 || !std::all_of(rows.begin(), rows.end(), inside))
    throw InternalError(
        fmt::format("take_rows: expected a value with these rows, found {}", value.shape().str()));
  const auto n = static_cast<Index>(rows.size());
  const Index inner = value.shape().back(), T = value.dim(axis), outer = value.size() / (T * inner);
  Tensor taken(axis == 1 ? Shape{value.dim(0), n, inner} : Shape{value.dim(0), value.dim(1), n, inner},
               value.dtype());
  dispatch(value.dtype(), [&]<class R>(R) {
    R* to = taken.data<R>();
    for (Index o = 0; o < outer; ++o)
      for (const int row : rows) to = std::copy_n(value.data<R>() + (o * T + row) * inner, inner, to);
  });
  return taken;
}

Tensor repeated(const Tensor& value, Index times) {
  if (times == 1) return value;
  Tensor copies(value.shape().without_front().with_front(times * value.dim(0)), value.dtype());
  dispatch(value.dtype(), [&]<class R>(R) {
    R* to = copies.data<R>();
    for (Index k = 0; k < times; ++k) to = std::copy_n(value.data<R>(), value.size(), to);
  });
  return copies;
}

Var join(const std::vector<Var>& batches, Place place) {
  if (batches.empty()) throw InternalError("join: expected at least one batch, found none");
  return batches.front().tape->record(std::make_shared<JoinOp>(), batches, place);
}

Var members(const Var& x, Index begin, Index count, Place place) {
  return x.tape->record(std::make_shared<MembersOp>(begin, count), {x}, place);
}

Var take_rows(const Var& x, const std::vector<int>& rows, Place place) {
  return x.tape->record(std::make_shared<TakeRowsOp>(rows), {x}, place);
}

}  // namespace headwater
