// W, b = argmin Σ |e W + b − x|² + λ |W|². The bias is free, so it takes the means, and the rest is centred:
//
//   G = Σ (e − ē)ᵀ(e − ē),  C = Σ (e − ē)ᵀ(x − x̄),  W = (G + λI)⁻¹ C,  b = x̄ − ē W
//
// which equals (ZᵀZ + λD)⁻¹ ZᵀX with Z = [E, 1] and D = I but 0 for the bias, and is better conditioned:
// hidden vectors share a large mean. Sums run over blocks of rows in double.
#include "numerics/linear_map.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Cholesky>
#include <fmt/format.h>
#include <headwater/error.h>

#include "kernels/kernels.h"
#include "numerics/length.h"

namespace headwater {
namespace {

constexpr Index block_rows = 1024;

std::vector<double> column_means(const Tensor& rows) {
  const Index width = rows.dim(1);
  std::vector<double> mean(as_size(width), 0.0);
  dispatch(rows.dtype(), [&]<class R>(R) {
    const R* values = std::as_const(rows).template data<R>();
    for (Index i = 0; i < rows.dim(0); ++i)
      for (Index c = 0; c < width; ++c) mean[as_size(c)] += double{values[i * width + c]};
  });
  for (double& m : mean) m /= static_cast<double>(rows.dim(0));
  return mean;
}

std::vector<double> centred(const Tensor& rows, Index begin, Index count, const std::vector<double>& mean) {
  std::vector<double> block = rows.rows(begin, count).to_doubles();
  for (std::size_t i = 0; i < block.size(); ++i) block[i] -= mean[i % mean.size()];
  return block;
}

// sum += aᵀ b over rows.
void add_product(const std::vector<double>& a, const std::vector<double>& b, Index rows, Index in, Index out,
                 std::vector<double>& sum) {
  kernels::gemm<double>({.m = in, .n = out, .k = rows, .transpose_a = true, .beta = 1}, a.data(), b.data(),
                        sum.data());
}

}  // namespace

Tensor LinearMap::operator()(const Tensor& hidden) const {
  const Index n = hidden.dim(0);
  const Tensor x = hidden.to(DType::Float64);
  Tensor y({n, out}, DType::Float64);
  kernels::gemm<double>({.m = n, .n = out, .k = in}, std::as_const(x).data<double>(), weight.data(),
                        y.data<double>());
  kernels::add_bias(y.data<double>(), bias.data(), n, out);
  return y;
}

RidgeFit::RidgeFit(const Tensor& hidden, double lambda)
    : hidden_(hidden),
      lambda_(lambda),
      width_(hidden.dim(1)),
      mean_(column_means(hidden)),
      gram_(as_size(width_ * width_), 0.0) {
  for (Index begin = 0; begin < hidden.dim(0); begin += block_rows) {
    const Index count = std::min(block_rows, hidden.dim(0) - begin);
    const std::vector<double> e = centred(hidden, begin, count, mean_);
    add_product(e, e, count, width_, width_, gram_);
  }
  for (Index i = 0; i < width_; ++i) gram_[as_size(i * width_ + i)] += lambda_;
  factor_ = gram_;
  Eigen::Map<Eigen::MatrixXd> in_place(factor_.data(), width_, width_);
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> made(in_place);
  if (made.info() != Eigen::Success || !in_place.diagonal().allFinite())
    throw InputError(
        fmt::format("ridge: expected a penalty that makes the linear map unique, found {} with {} training "
                    "tokens of width {}; give a larger one, or more texts",
                    lambda_, hidden.dim(0), width_));
}

LinearMap RidgeFit::fit(const Tensor& targets) const {
  const Index out = targets.dim(1);
  LinearMap map{.in = width_, .out = out};
  const std::vector<double> mean = column_means(targets);
  std::vector<double> right(as_size(width_ * out), 0.0);
  for (Index begin = 0; begin < hidden_.dim(0); begin += block_rows) {
    const Index count = std::min(block_rows, hidden_.dim(0) - begin);
    add_product(centred(hidden_, begin, count, mean_), centred(targets, begin, count, mean), count, width_,
                out, right);
  }
  map.weight = right;
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Rows> solved(map.weight.data(), width_, out);
  const auto factor =
      Eigen::Map<const Eigen::MatrixXd>(factor_.data(), width_, width_).triangularView<Eigen::Lower>();
  factor.solveInPlace(solved);
  factor.transpose().solveInPlace(solved);
  map.bias = mean;
  for (Index i = 0; i < width_; ++i)
    for (Index c = 0; c < out; ++c)
      map.bias[as_size(c)] -= mean_[as_size(i)] * map.weight[as_size(i * out + c)];
  const double size = std::sqrt(squared_length(right));
  kernels::gemm<double>({.m = width_, .n = out, .k = width_, .beta = -1}, gram_.data(), map.weight.data(),
                        right.data());
  const double left = std::sqrt(squared_length(right));
  map.residual = size > 0 ? left / size : left;
  return map;
}

std::size_t linear_map_bytes(Index in, Index out) {
  const auto d = as_size(in), o = as_size(out);
  return sizeof(double) * (2 * d * d + 3 * d * o + 2 * as_size(block_rows) * (d + o));
}

}  // namespace headwater
