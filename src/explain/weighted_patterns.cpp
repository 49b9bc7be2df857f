// B_l = I + E_l with E_l = mean over heads of max(0, ·). Only the row e of J = B_{L−1} … B_s is read, so it
// is computed as a vector, e ← e B_l.
//
// The gradient's check scales a pattern:  (y((1 + h) A) − y((1 − h) A)) / 2h = Σ G ⊙ A  up to O(h²) and
// rounding of y, measured by Σ |G ⊙ A|.
#include "explain/weighted_patterns.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "study/map_checks.h"
#include "study/memory.h"

namespace headwater {

std::vector<double> positive_mean(const Tensor& a, const Tensor& b) {
  const Index H = a.dim(a.rank() - 3), cells = a.dim(a.rank() - 2) * a.dim(a.rank() - 1);
  std::vector<double> mean(as_size(cells), 0.0);
  const auto add = [&](auto value) {
    parallel_for(cells, 2048, [&](Index begin, Index end) {
      for (Index h = 0; h < H; ++h)
        for (Index c = begin; c < end; ++c)
          mean[as_size(c)] += std::max(0.0, value(h * cells + c)) / static_cast<double>(H);
    });
  };
  dispatch(a.dtype(), [&]<class R>(R) {
    const R* of_a = a.data<R>();
    if (b.empty()) return add([&](Index i) { return static_cast<double>(of_a[i]); });
    dispatch(b.dtype(), [&](auto q) {
      const auto* of_b = b.data<decltype(q)>();
      add([&](Index i) { return static_cast<double>(of_a[i]) * static_cast<double>(of_b[i]); });
    });
  });
  return mean;
}

std::vector<double> read_through(const std::vector<std::vector<double>>& maps, std::span<const Index> rows,
                                 Index tokens, RowSums sums) {
  const auto T = as_size(tokens);
  std::vector<double> row(T, 0.0);
  for (const Index r : rows) row[as_size(r)] = 1 / static_cast<double>(rows.size());
  for (std::size_t l = maps.size(); l-- > 0;) {
    std::vector<double> next(T, 0.0);
    for (std::size_t i = 0; i < T; ++i) {
      if (row[i] == 0) continue;
      const double* map = maps[l].data() + i * T;
      const double weight =
          sums == RowSums::Kept ? row[i] : row[i] / (1 + std::accumulate(map, map + T, 0.0));
      for (std::size_t j = 0; j < T; ++j) next[j] += weight * map[j];
      next[i] += weight;
    }
    row = std::move(next);
  }
  return row;
}

std::vector<double> mean_row(const std::vector<double>& map, std::span<const Index> rows, Index tokens) {
  std::vector<double> mean(as_size(tokens), 0.0);
  for (const Index r : rows)
    for (Index j = 0; j < tokens; ++j)
      mean[as_size(j)] += map[as_size(r * tokens + j)] / static_cast<double>(rows.size());
  return mean;
}

void put_row(Attribution& result, const Study& study, const std::vector<double>& row,
             std::span<const Index> rows, OwnColumn own) {
  const ModelInfo& info = study.info();
  const auto T = static_cast<Index>(row.size());
  result.details.push_back({"row", {Axis::Units}, Tensor::of({T}, row, info.dtype)});
  if (const Sequence& only = study.sequences().front(); only.rows > 0) {
    const Index before = only.count - only.rows * only.columns;
    result.axes() = {Axis::Row, Axis::Column};
    result.scores() =
        Tensor::of({only.rows, only.columns}, std::span(row).subspan(as_size(before)), info.dtype);
  } else {
    // A causal mask gives later tokens an exact 0, which is not a measurement.
    const Index seen = info.last().causal ? *std::max_element(rows.begin(), rows.end()) + 1 : T;
    const double smallest = *std::min_element(row.begin(), row.begin() + seen);
    result.measured.assign(as_size(T), true);
    std::fill(result.measured.begin() + seen, result.measured.end(), false);
    for (const Index r : rows) result.measured[as_size(r)] = false;
    result.axes() = {Axis::Units};
    result.scores() =
        Tensor::of({T}, with_cells(row, rows, own == OwnColumn::Zero ? 0 : smallest), info.dtype);
  }
  result.checks.push_back(check_nonnegative(result.scores()));
}

std::vector<double> with_cells(std::vector<double> row, std::span<const Index> cells, double value) {
  for (const Index cell : cells) row[as_size(cell)] = value;
  return row;
}

std::vector<Tensor> pattern_gradients(const Study& study, int start) {
  const Run& run = study.run();
  const int L = study.info().last().layers;
  std::vector<Place> wanted;
  for (int l = start; l < L; ++l) wanted.push_back({Site::Pattern, l});
  const Signals signals = run.tape->pull(run.logits, study.seed(run), rules::gradient, wanted);
  std::vector<Tensor> gradients(as_size(L));
  for (int l = start; l < L; ++l) gradients[as_size(l)] = signals.at(Site::Pattern, l);
  return gradients;
}

double scaled_difference(const Study& study, const Scaled& part, double h, const OfLogits& f) {
  const auto at = [&](double factor) {
    const auto scale = [&](Tensor& value) {
      dispatch(value.dtype(), [&]<class R>(R) {
        R* own = value.data<R>() + part.begin;
        for (Index i = 0; i < part.count; ++i) own[i] *= static_cast<R>(factor);
      });
    };
    Tape tape(Keep::Nothing, {{part.at, scale}});
    return f(study.model().run(tape, study.batch()).value);
  };
  const double above = at(1 + h);
  return (above - at(1 - h)) / (2 * h);
}

Check check_pattern_gradient(const Study& study, const Tensor& gradient, Place place) {
  const Tensor pattern = study.at(place);
  double slope = 0, size = 0, largest = 1;
  for (Index i = 0; i < pattern.size(); ++i) {
    slope += gradient.at(i) * pattern.at(i);
    size += std::abs(gradient.at(i) * pattern.at(i));
  }
  Check check{.name = "gradient at the pattern equals a finite difference"};
  if (size == 0) return check;
  const bool single = pattern.dtype() == DType::Float32;
  const double h = single ? 1e-2 : 1e-4;
  for (const double z : study.logits().to_doubles()) largest = std::max(largest, std::abs(z));
  const double difference = scaled_difference(
      study, {place, 0, pattern.size()}, h, [&](const Tensor& logits) { return study.target_value(logits); });
  check.value = std::abs(difference - slope) / size;
  check.bound = (single ? 0.01 : 1e-4) + 64 * epsilon_of(study.info().dtype) * largest / (h * size);
  check.passed = check.value <= check.bound;
  return check;
}

std::size_t pattern_gradient_bytes(const ModelInfo& info, Index tokens) {
  const std::size_t walk = walk_bytes(info, tokens, 1, info.dtype) + packing_bytes(info, info.dtype);
  return std::max(walk, passing_bytes(info, tokens, 1)) + prediction_bytes(info, 1);
}

}  // namespace headwater
