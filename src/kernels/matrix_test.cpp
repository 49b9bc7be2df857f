// Matrix: both products against the plain loop, the packed copy against the weight it came from.
#include "kernels/matrix.h"

#include <headwater/error.h>

#include "support/kernel_checks.h"
#include "support/reference_kernels.h"

namespace headwater {
namespace {

using namespace kernels::testing;
using kernels::Gemm;

template <class R>
Tensor tensor_of(Shape shape, const std::vector<R>& numbers) {
  Tensor t(std::move(shape), dtype_of<R>());
  std::copy(numbers.begin(), numbers.end(), t.data<R>());
  return t;
}

template <class R>
class MatrixTest : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MatrixTest, Reals);

template <class R>
void check(Index rows, Index cols, Index m) {
  SCOPED_TRACE(::testing::Message() << rows << "x" << cols << ", m = " << m);
  const auto w = random_numbers<R>(rows * cols, 1), x = random_numbers<R>(m * cols, 2);
  const auto g = random_numbers<R>(m * rows, 3), bias = random_numbers<R>(rows, 4);
  const Matrix matrix(tensor_of({rows, cols}, w));
  EXPECT_EQ(matrix.rows(), rows);
  EXPECT_EQ(matrix.cols(), cols);
  EXPECT_EQ(matrix.dtype(), dtype_of<R>());
  const double tolerance = epsilon<R> * static_cast<double>(rows + cols + 4);

  std::vector<R> y(static_cast<std::size_t>(m * rows)), expected = y;
  kernels::reference::gemm<R>(
      {.m = m, .n = rows, .k = cols, .transpose_b = true, .lda = cols, .ldb = cols, .ldc = rows}, x.data(),
      w.data(), expected.data());
  matrix.times_transposed<R>(x.data(), nullptr, y.data(), m);
  expect_close(y, expected, tolerance);
  matrix.times_transposed<R>(x.data(), bias.data(), y.data(), m);
  kernels::reference::add_bias<R>(expected.data(), bias.data(), m, rows);
  expect_close(y, expected, tolerance);

  std::vector<R> z(static_cast<std::size_t>(m * cols)), expected_z = z;
  kernels::reference::gemm<R>({.m = m, .n = cols, .k = rows, .lda = rows, .ldb = cols, .ldc = cols}, g.data(),
                              w.data(), expected_z.data());
  matrix.times<R>(g.data(), z.data(), m);
  expect_close(z, expected_z, tolerance);
}

TYPED_TEST(MatrixTest, BothProductsEqualThePlainLoop) {
  on_every_isa([] {
    for (const Index rows : {1, 2, 15, 16, 33, 200})
      for (const Index cols : {1, 7, 24, 97, 130})
        for (const Index m : {1, 3, 6, 17, 40}) check<TypeParam>(rows, cols, m);
    check<TypeParam>(280, 800, 200);  // more than one block each way
  });
}

TYPED_TEST(MatrixTest, EmptyShapes) {
  const Matrix none(Tensor({0, 5}, dtype_of<TypeParam>()));
  std::vector<TypeParam> x(10, 1), y(10, 7);
  none.times_transposed<TypeParam>(x.data(), nullptr, y.data(), 2);
  EXPECT_EQ(y, std::vector<TypeParam>(10, 7));
  none.times<TypeParam>(x.data(), y.data(), 2);  // an empty sum
  EXPECT_EQ(y, std::vector<TypeParam>(10, 0));
  const Matrix flat(Tensor({5, 0}, dtype_of<TypeParam>()));
  const std::vector<TypeParam> bias{1, 2, 3, 4, 5};
  flat.times_transposed<TypeParam>(x.data(), bias.data(), y.data(), 2);
  EXPECT_EQ(y, (std::vector<TypeParam>{1, 2, 3, 4, 5, 1, 2, 3, 4, 5}));
  flat.times<TypeParam>(x.data(), y.data(), 2);
  EXPECT_EQ(flat.dense().shape(), (Shape{5, 0}));
}

TYPED_TEST(MatrixTest, UnpacksToTheWeightItCameFrom) {
  on_every_isa([] {
    const auto w = random_numbers<TypeParam>(37 * 11, 1);
    const Matrix matrix(tensor_of({37, 11}, w));
    const Tensor dense = matrix.dense();
    EXPECT_EQ(dense.shape(), (Shape{37, 11}));
    EXPECT_TRUE(std::equal(w.begin(), w.end(), dense.data<TypeParam>()));
    std::vector<TypeParam> row(11);
    matrix.copy_row<TypeParam>(20, row.data());
    EXPECT_TRUE(std::equal(row.begin(), row.end(), w.begin() + 20 * 11));
    EXPECT_GE(matrix.bytes(), w.size() * sizeof(TypeParam));
  });
}

// A batch gives each of its rows the bits the row gets alone: the law that batching changes nothing.
TYPED_TEST(MatrixTest, ARowDoesNotDependOnItsNeighbours) {
  on_every_isa([] {
    const Index rows = 70, cols = 810, most = 200;
    const Matrix matrix(tensor_of({rows, cols}, random_numbers<TypeParam>(rows * cols, 1)));
    const Matrix tall(tensor_of({cols, rows}, random_numbers<TypeParam>(rows * cols, 2)));
    const auto x = random_numbers<TypeParam>(most * cols, 3);
    std::vector<TypeParam> forward(most * rows), back(most * rows);
    matrix.times_transposed<TypeParam>(x.data(), nullptr, forward.data(), most);
    tall.times<TypeParam>(x.data(), back.data(), most);
    for (const Index m : {1, 7, 64, 128})
      for (const Index first : {0, 3, 50}) {
        std::vector<TypeParam> part(static_cast<std::size_t>(m * rows));
        matrix.times_transposed<TypeParam>(x.data() + first * cols, nullptr, part.data(), m);
        EXPECT_TRUE(std::equal(part.begin(), part.end(), forward.begin() + first * rows)) << m;
        tall.times<TypeParam>(x.data() + first * cols, part.data(), m);
        EXPECT_TRUE(std::equal(part.begin(), part.end(), back.begin() + first * rows)) << m;
      }
  });
}

TYPED_TEST(MatrixTest, SameBitsOnAnyThreads) {
  const Index rows = 310, cols = 400, m = 40;
  const Matrix matrix(tensor_of({rows, cols}, random_numbers<TypeParam>(rows * cols, 1)));
  const auto x = random_numbers<TypeParam>(m * std::max(rows, cols), 2);
  expect_same_on_any_threads([&] {
    std::vector<TypeParam> y(m * (rows + cols));
    matrix.times_transposed<TypeParam>(x.data(), nullptr, y.data(), m);
    matrix.times<TypeParam>(x.data(), y.data() + m * rows, m);
    return y;
  });
}

TYPED_TEST(MatrixTest, MayBeUsedInsideAParallelLoop) {
  const Index n = 96, m = 24;
  const Matrix matrix(tensor_of({n, n}, random_numbers<TypeParam>(n * n, 1)));
  const auto x = random_numbers<TypeParam>(m * n, 2);
  std::vector<TypeParam> expected(m * n), found(4 * m * n);
  matrix.times<TypeParam>(x.data(), expected.data(), m);
  parallel_for(4, 1, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) matrix.times<TypeParam>(x.data(), found.data() + i * m * n, m);
  });
  for (Index i = 0; i < 4; ++i)
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), found.begin() + i * m * n));
}

TEST(Matrix, PartsInEitherType) {
  const auto w = random_numbers<float>(5 * 37, 6);
  const Matrix matrix(tensor_of({5, 37}, w));
  for (const DType dtype : {DType::Float32, DType::Float64})
    for (const auto part :
         {Matrix::Part::Whole, Matrix::Part::Absolute, Matrix::Part::Positive, Matrix::Part::Negative}) {
      const Matrix made = matrix.part(part, dtype);
      EXPECT_EQ(made.dtype(), dtype);
      const Tensor dense = made.dense();
      for (Index i = 0; i < dense.size(); ++i) {
        const auto v = static_cast<double>(w[static_cast<std::size_t>(i)]);
        const double expected = part == Matrix::Part::Whole      ? v
                                : part == Matrix::Part::Absolute ? std::abs(v)
                                : part == Matrix::Part::Positive ? std::max(v, 0.0)
                                                                 : std::min(v, 0.0);
        ASSERT_EQ(dense.at(i), expected);
      }
    }
  EXPECT_EQ(matrix.dense().at(3), static_cast<double>(w[3]));  // it is left as it was
}

TEST(Matrix, RefusesWhatIsNoMatrix) {
  EXPECT_THROW(Matrix(Tensor({2, 3, 4}, DType::Float32)), InternalError);
}

TEST(Matrix, RefusesTheOtherType) {
  const Matrix matrix(Tensor::zeros({2, 2}, DType::Float32));
  double x[2] = {1, 1}, y[2];
  EXPECT_THROW(matrix.times<double>(x, y, 1), InternalError);
  EXPECT_THROW(matrix.times_transposed<double>(x, nullptr, y, 1), InternalError);
}

}  // namespace
}  // namespace headwater
