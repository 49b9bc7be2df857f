#include "methods/value_zeroing/fold.h"

#include <list>
#include <mutex>

#include "base/parallel.h"

namespace headwater {

namespace {

struct Kept {
  std::weak_ptr<const Matrix> out, up;  // an address alone could be another model's by now
  std::shared_ptr<const Fold> fold;
};

class KeptFolds {
 public:
  std::shared_ptr<const Fold> find(const BlockWeights& w) {
    const std::lock_guard lock(mutex_);
    kept_.remove_if([](const Kept& k) { return k.out.expired() || k.up.expired(); });
    for (const Kept& k : kept_)
      if (k.out.lock() == w.attention.out.weight && k.up.lock() == w.mlp.up.weight) return k.fold;
    return nullptr;
  }

  void keep(const BlockWeights& w, std::shared_ptr<const Fold> fold) {
    const std::lock_guard lock(mutex_);
    if (fold->bytes() > kept_fold_bytes) return;
    kept_.push_back({w.attention.out.weight, w.mlp.up.weight, std::move(fold)});
    std::size_t bytes = 0;
    for (const Kept& k : kept_) bytes += k.fold->bytes();
    for (; bytes > kept_fold_bytes; kept_.pop_front()) bytes -= kept_.front().fold->bytes();
  }

 private:
  std::mutex mutex_;
  std::list<Kept> kept_;  // oldest first
};

KeptFolds& kept_folds() {
  static KeptFolds folds;
  return folds;
}

}  // namespace

template <class R>
void centre_and_scale(R* x, Index m, const NormWeights& norm) {
  const Index n = norm.gamma.size();
  const R* gamma = norm.gamma.data<R>();
  parallel_for(m, 1 + 16384 / n, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      R* row = x + r * n;
      double mean = 0;
      if (!norm.beta.empty())
        for (Index i = 0; i < n; ++i) mean += static_cast<double>(row[i]) / static_cast<double>(n);
      for (Index i = 0; i < n; ++i) row[i] = (row[i] - static_cast<R>(mean)) * gamma[i];
    }
  });
}

Tensor projected_rows(const LinearWeights& out, const NormWeights& norm) {
  const Tensor dense = out.weight->dense();  // [D, H·E]
  const Index D = dense.dim(0), rows = dense.dim(1);
  Tensor turned({rows, D}, dense.dtype());
  dispatch(dense.dtype(), [&]<class R>(R) {
    const R* from = dense.data<R>();
    R* to = turned.data<R>();
    parallel_for(rows, 1 + 65536 / D, [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row)
        for (Index d = 0; d < D; ++d) to[row * D + d] = from[d * rows + row];
    });
    centre_and_scale<R>(to, rows, norm);
  });
  return turned;
}

std::shared_ptr<const Fold> fold_of(const BlockWeights& w, const NormWeights& norm, bool keep) {
  if (std::shared_ptr<const Fold> found = kept_folds().find(w)) return found;
  const Tensor rows = projected_rows(w.attention.out, norm);
  auto fold = std::make_shared<Fold>();
  dispatch(rows.dtype(), [&](auto r) {
    fold->up = times_hidden<decltype(r)>(rows, w.mlp.up);
    if (w.mlp.gate) fold->gate = times_hidden<decltype(r)>(rows, *w.mlp.gate);
  });
  if (keep) kept_folds().keep(w, fold);
  return fold;
}

bool fold_pays(Index tokens, Index head_width, Index width) {
  return tokens * (width - head_width) > head_width * width;
}

template void centre_and_scale(float*, Index, const NormWeights&);
template void centre_and_scale(double*, Index, const NormWeights&);

}  // namespace headwater
