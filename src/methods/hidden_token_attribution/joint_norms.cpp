// N² = Σ_c |J e_c|² over the D directions c of unit i, or Σ_c |J (x_ic e_c)|² where the gradient is taken
// times the input. A tangent that enters the encoder goes on through cross-attention, so one push gives the
// rows of all stacks.
#include "methods/hidden_token_attribution/joint_norms.h"

#include <algorithm>
#include <cmath>

#include "explain/mixing_steps.h"
#include "methods/hidden_token_attribution/tangents.h"
#include "numerics/length.h"
#include "numerics/row_division.h"
#include "study/map_checks.h"
#include "study/memory.h"

namespace headwater {

namespace {

// What one tangent leaves: the outputs of all blocks.
std::size_t output_bytes(const ModelInfo& info, Index units) {
  Index blocks = 0;
  for (const Stack& stack : info.stacks) blocks += stack.layers;
  return as_size(blocks * units * info.last().width) * bytes_of(info.dtype);
}

// On its way a tangent is in one block, and in what a later stack reads of an earlier one.
std::size_t joint_tangent_bytes(const ModelInfo& info, Index units) {
  return 2 * tangent_bytes(info, units) + output_bytes(info, units);
}

// [count, 1, T, D]: directions begin … of the basis, D of each unit after the other.
Tensor basis_seeds(const Tensor& x, Index begin, Index count, BlockNorm norm) {
  Tensor seeds = Tensor::zeros(x.shape().with_front(count), x.dtype());
  dispatch(x.dtype(), [&]<class R>(R) {
    for (Index k = 0; k < count; ++k) {
      const Index at = begin + k;  // unit · D + direction: also its place in x
      seeds.data<R>()[k * x.size() + at] = norm == BlockNorm::GradientTimesInput ? x.data<R>()[at] : R(1);
    }
  });
  return seeds;
}

// Columns of the sequence that is read, [L, T, S].
Tensor unit_columns(const std::vector<double>& all, const Shape& shape, Index units, Index first,
                    DType dtype) {
  std::vector<double> some;
  const Index S = shape.back();
  for (auto row = all.begin(); row != all.end(); row += units)
    some.insert(some.end(), row + first, row + first + S);
  return Tensor::of(shape, some, dtype);
}

}  // namespace

std::vector<std::vector<double>> joint_norms(const Study& study, BlockNorm norm) {
  const Tape& tape = *study.run().tape;
  const std::vector<Stack>& stacks = study.info().stacks;
  const Index U = study.size(), D = study.info().last().width;
  std::vector<std::vector<double>> norms;
  std::vector<Place> wanted;
  for (int s = 0; s < static_cast<int>(stacks.size()); ++s) {
    const int layers = stacks[as_size(s)].layers;
    norms.emplace_back(as_size(layers * study.size(s) * U));
    for (int l = 0; l < layers; ++l) wanted.emplace_back(Site::ResidPost, l, s);
  }
  const auto tile =
      std::max<Index>(1, static_cast<Index>(study.scratch / joint_tangent_bytes(study.info(), U)));
  for (int from = 0; from <= study.written(); ++from) {
    const Var x = tape.at({Site::ResidPre, 0, from});
    const Index first = study.sequences()[as_size(from)].first, starts = x.value.size();
    for (Index begin = 0; begin < starts; begin += tile) {
      const Index count = std::min(tile, starts - begin);
      const Signals tangents =
          tape.push(x, basis_seeds(x.value, begin, count, norm), rules::gradient, wanted);
      for (const Place place : wanted) {
        if (!tangents.has(place)) continue;          // an earlier stack
        const Tensor& arrived = tangents.at(place);  // [count, 1, T, D]
        const Index T = study.size(place.stack);
        double* to = norms[as_size(place.stack)].data() + place.layer * T * U;
        dispatch(arrived.dtype(), [&]<class R>(R) {
          for (Index k = 0; k < count; ++k)
            for (Index j = 0; j < T; ++j)
              to[j * U + first + (begin + k) / D] += squared_length(arrived.data<R>() + (k * T + j) * D, D);
        });
      }
      study.progress(static_cast<double>(first * D + begin + count) / static_cast<double>(U * D));
    }
  }
  for (std::vector<double>& stack : norms)
    for (double& n : stack) n = std::sqrt(n);
  return norms;
}

std::size_t joint_norm_bytes(const ModelInfo& info, Index units) {
  Index layers = 0;
  for (const Stack& stack : info.stacks) layers += stack.layers;
  const auto cells = as_size(layers * units * units);
  ModelInfo blocks = info;  // no tangent meets the head
  blocks.task = Task::FeatureExtraction;
  return cells * 3 * (sizeof(double) + bytes_of(info.dtype)) + joint_tangent_bytes(info, units) +
         packing_bytes(blocks, info.dtype);
}

Attribution joint_attribution(const Study& study, BlockNorm norm) {
  const std::vector<Stack>& stacks = study.info().stacks;
  const DType dtype = study.info().dtype;
  const Index U = study.size();
  Attribution result{.maps = {}};
  std::vector<Map> whole_rows;
  double future = 0;
  const std::vector<std::vector<double>> norms = joint_norms(study, norm);
  for (std::size_t s = 0; s < stacks.size(); ++s) {
    const Stack& stack = stacks[s];
    const Index T = study.size(static_cast<int>(s));
    std::vector<double> shares = norms[s];
    divide_rows(std::span(shares), U);
    whole_rows.push_back({.values = Tensor::of({stack.layers, T, U}, shares, dtype)});
    for (std::size_t read = 0; read <= s; ++read) {
      if (read != s && stack.reads != static_cast<int>(read)) continue;
      const Sequence& columns = study.sequences()[read];
      const Shape shape{stack.layers, T, columns.count};
      const std::string name = stack.reads < 0 ? stack.name : stack.name + "_to_" + columns.name;
      Map map{.name = name,
              .axes = {Axis::Layer, {Axis::Query, static_cast<int>(s)}, {Axis::Key, static_cast<int>(read)}},
              .values = unit_columns(shares, shape, U, columns.first, dtype)};
      Map lengths{.name = "norm_" + name,
                  .axes = map.axes,
                  .values = unit_columns(norms[s], shape, U, columns.first, dtype)};
      if (stack.causal && read == s) {
        future = std::max(future, check_causal(map.values).value);
        forbid_future(map.values);
        forbid_future(lengths.values);
      }
      result.maps.push_back(std::move(map));
      result.details.push_back(std::move(lengths));
    }
  }
  promise_row_sums(result, worst_of(whole_rows, check_row_sums));
  result.checks.push_back(worst_of(whole_rows, check_nonnegative));
  result.checks.push_back(check_within("no weight on later tokens", future, 0));
  return result;
}

}  // namespace headwater
