// Effective attention: the part of an attention row that reaches the head's output.
//
// With the head's values V [T, E] and a row a of its attention, every a' with a'V = aV writes the same. The
// shortest of them is a P, P the orthogonal projector onto the column space of V in R^T. ValueSpace is that
// projector for a whole text, GrowingValueSpace for the prefixes a causal row may see. Everything is in
// double and row-major; both are deterministic, whatever the number of threads.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "numerics/dense.h"

namespace headwater {

// Which singular values count: σ > tolerance · σ_max.
struct RankRule {
  double epsilon = 0;  // of the type the values were computed in
  double rtol = 0;     // 0: max(rows, columns) · epsilon
  double tolerance(Index rows, Index columns) const;
};

// Singular values, largest first, and how many of them count.
struct Spectrum {
  std::vector<double> values;
  Index rank = 0;
  double kappa() const;  // σ_1 / σ_rank; 0 where nothing counts
};
Spectrum spectrum_of(std::span<const double> matrix, Index rows, Index columns, const RankRule& rule);
// The rank alone: cheap when the matrix is far from losing it.
Index rank_of(std::span<const double> matrix, Index rows, Index columns, const RankRule& rule);

// A head's slice of the output projection, W_Hᵀ [model, width] with rows `stride` apart. Nothing if it has
// full rank; else L [width, width] with L Lᵀ = W_H W_Hᵀ: V L then has the null space of what is written.
std::optional<std::vector<double>> narrow_factor(const double* out, Index model, Index stride, Index width,
                                                 const RankRule& rule);

class ValueSpace {
 public:
  // values [tokens, width].
  ValueSpace(std::span<const double> values, Index tokens, Index width, const RankRule& rule);
  // U diag(s² / (s² + λ²)) Uᵀ instead of P: directions that hardly move the output fade instead of jumping.
  static ValueSpace smooth(std::span<const double> values, Index tokens, Index width, double lambda);
  // The projector onto the first `rank` left singular vectors, whatever the singular values are.
  static ValueSpace of_rank(std::span<const double> values, Index tokens, Index width, Index rank);

  bool identity() const { return identity_; }  // P = I: the attention is determined by the output
  // x = a P for rows a [count, tokens].
  void project(const double* a, double* x, Index count) const;

 private:
  ValueSpace(Dense u, std::vector<double> f) : tokens_(u.rows), u_(std::move(u)), f_(std::move(f)) {}

  Index tokens_;
  bool identity_ = false;
  Dense v_, r_;  // by (1) of the source, if r is not empty
  Dense u_;      // else U diag(f) Uᵀ
  std::vector<double> f_;
};

// The same for the values of tokens 0 … t, with t growing by one at a time. Rows of a matrix that has lost
// rank as a whole are first written in a basis of their span, so that a prefix can reach full rank.
class GrowingValueSpace {
 public:
  GrowingValueSpace(std::span<const double> values, Index tokens, Index width, const RankRule& rule);

  void grow();                                               // one more token; at first there is none
  bool identity() const { return form_ == Form::Identity; }  // of the prefix
  void project(const double* a, double* x) const;

 private:
  void append_independent();
  void append_triangle();
  void decide();
  void decompose(double tolerance);

  RankRule rule_;
  Index width_;       // of the values as given, for the tolerance
  Dense v_;           // [T, c]: all tokens, in a basis of their span
  Index seen_ = 0;    // tokens of the prefix
  double norm2_ = 0;  // |V_t|²_F

  // The rows so far as L Q, while they are independent: Q [seen, c] orthonormal, and L⁻¹.
  bool independent_ = true;
  Dense q_, inverse_;
  double inverse2_ = 0;  // |L⁻¹|²_F

  Dense r_;           // RᵀR = V_tᵀ V_t
  double least_ = 0;  // lower bound of the smallest of c singular values of V_t

  enum class Form { Identity, Triangle, Basis } form_ = Form::Identity;
  Dense u_;  // Basis
};

}  // namespace headwater
