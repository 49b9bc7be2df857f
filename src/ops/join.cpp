// y = [x_1; x_2; …]: batches one after the other, so that inputs that come together half-way go on as one.
//
//   pull  hands every batch its own part of the signal          push  puts the parts where the batches are
// Relevance goes back the same way.

#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

#include "ops/ops.h"

namespace headwater {
namespace {

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
    dispatch(y.dtype(), [&](auto r) {
      using R = decltype(r);
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
        dispatch(signal.dtype(), [&](auto r) {
          using R = decltype(r);
          for (Index s = 0; s < seeds; ++s)
            std::copy_n(signal.data<R>() + s * call.y.size() + offset, batch.size(),
                        own.data<R>() + s * batch.size());
        });
        back.push_back(own);
      }
      offset += batch.size();
    }
    return back;
  }

  Tensor push(const Call& call, std::span<const Tensor> parts, const Rules& /*rules*/) const override {
    const auto given = static_cast<std::size_t>(
        std::find_if(parts.begin(), parts.end(), [](const Tensor& part) { return !part.empty(); }) -
        parts.begin());
    const Index seeds = stack_of(parts[given], call.x[given]);
    Tensor dy = Tensor::zeros(stacked_like(parts[given], call.x[given], call.y), parts[given].dtype());
    dispatch(dy.dtype(), [&](auto r) {
      using R = decltype(r);
      Index offset = 0;
      for (std::size_t k = 0; k < parts.size(); ++k) {
        const Index size = call.x[k].size();
        for (Index s = 0; s < seeds && !parts[k].empty(); ++s)
          std::copy_n(parts[k].data<R>() + s * size, size, dy.data<R>() + s * call.y.size() + offset);
        offset += size;
      }
    });
    return dy;
  }
};

}  // namespace

Var join(const std::vector<Var>& batches, Site site, int layer) {
  if (batches.empty()) throw InternalError("join: expected at least one batch, found none");
  return batches.front().tape->record(std::make_shared<JoinOp>(), batches, site, layer);
}

}  // namespace headwater
