// Eigen's Householder QR and Jacobi SVD, which keep the digits of small singular values; Gram and Schmidt
// twice; Lanczos with full reorthogonalisation. See Golub and Van Loan, Matrix Computations, chapters 5, 8
// and 10.
#include "numerics/dense.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/Dense>

namespace headwater {

namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

Eigen::Map<const Rows> view(const Dense& m) {
  return {m.values.data(), m.rows, m.cols};
}

Eigen::Map<Rows> view(Dense& m) {
  return {m.values.data(), m.rows, m.cols};
}

template <class Expression>
Dense dense(const Expression& expression) {
  Dense m(expression.rows(), expression.cols());
  view(m) = expression;
  return m;
}

// v less its share along the columns of q, which are orthonormal.
void reject(const Eigen::Ref<const Eigen::MatrixXd>& q, Eigen::Ref<Eigen::VectorXd> v) {
  for (int twice = 0; twice < 2; ++twice) v -= q * (q.transpose() * v);
}

}  // namespace

Dense Dense::transposed() const {
  return dense(view(*this).transpose());
}

Dense Dense::left(Index columns) const {
  return dense(view(*this).leftCols(columns));
}

double Dense::norm() const {
  return view(*this).norm();
}

Dense triangle_of(const Dense& tall) {
  if (tall.values.empty()) return {tall.cols, tall.cols};
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(view(tall));
  return dense(Rows(qr.matrixQR().topRows(tall.cols).triangularView<Eigen::Upper>()));
}

double least_singular(const Dense& triangle) {
  if ((view(triangle).diagonal().array() == 0).any()) return 0;
  const Rows one = Rows::Identity(triangle.rows, triangle.rows);
  const double total = view(triangle).triangularView<Eigen::Upper>().solve(one).squaredNorm();
  return std::isfinite(total) ? 1 / std::sqrt(total) : 0;
}

void solve_normal(const Dense& triangle, Dense& rows) {
  const auto r = view(triangle).triangularView<Eigen::Upper>();
  Eigen::MatrixXd columns = view(rows).transpose();
  r.transpose().solveInPlace(columns);
  r.solveInPlace(columns);
  view(rows) = columns.transpose();
}

Svd svd_of(const Dense& a) {
  if (a.values.empty()) return {Dense(a.rows, 0), Dense(a.cols, 0), {}};
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(view(a), Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Eigen::VectorXd& s = svd.singularValues();
  Svd found{dense(svd.matrixU()), dense(svd.matrixV()), {s.begin(), s.end()}};
  for (Index k = 0; k < s.size(); ++k)
    if (s[k] == 0) view(a.rows < a.cols ? found.w : found.u).col(k).setZero();
  return found;
}

Dense orthonormal_columns(const Dense& columns) {
  Eigen::MatrixXd q = view(columns);
  Index kept = 0;
  for (Index k = 0; k < q.cols(); ++k) {
    Eigen::VectorXd v = q.col(k);
    const double before = v.norm();
    reject(q.leftCols(kept), v);
    if (v.norm() > 1e-10 * before) q.col(kept++) = v.normalized();
  }
  return dense(q.leftCols(kept));
}

double largest_singular(const Dense& a) {
  const auto m = view(a);
  Eigen::MatrixXd basis(a.cols, std::min<Index>(a.cols, 32));  // grows when it must: most runs are short
  Eigen::VectorXd v(a.cols), diagonal(a.cols), beside(a.cols);
  for (Index k = 0; k < a.cols; ++k) v[k] = 1 + 0.5 * std::sin(static_cast<double>(k + 1));
  double size = v.norm(), found = 0;
  int settled = 0;
  for (Index k = 0; k < a.cols; ++k) {
    if (k == basis.cols()) basis.conservativeResize(Eigen::NoChange, std::min(a.cols, 2 * k));
    basis.col(k) = v / size;
    v = m.transpose() * (m * basis.col(k));
    diagonal[k] = v.dot(basis.col(k));
    reject(basis.leftCols(k + 1), v);
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> tridiagonal;
    tridiagonal.computeFromTridiagonal(diagonal.head(k + 1), beside.head(k), Eigen::EigenvaluesOnly);
    const double before = std::exchange(found, tridiagonal.eigenvalues().maxCoeff());
    settled = found - before <= 4 * epsilon * found ? settled + 1 : 0;
    size = v.norm();
    if (settled == 3 || !(size > epsilon * found)) break;
    beside[k] = size;
  }
  return std::sqrt(std::max(0.0, found));
}

}  // namespace headwater
