// Effective attention: the part of an attention row that reaches the head's output.
//
// With the head's values V [T, E] and a row a of its attention, every a' with a'V = aV writes the same. The
// shortest of them is a P, P the orthogonal projector onto the column space of V in R^T. ValueSpace is that
// projector for a whole text, GrowingValueSpace for the prefixes a causal row may see. Everything is in
// double and row-major; both are deterministic, whatever the number of threads.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <headwater/tensor.h>

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
  ValueSpace(const ValueSpace&) = delete;
  ValueSpace& operator=(const ValueSpace&) = delete;
  ValueSpace(ValueSpace&&) noexcept;
  ValueSpace& operator=(ValueSpace&&) noexcept;
  ~ValueSpace();

  bool identity() const;  // P = I: the attention is determined by the output
  // x = a P for rows a [count, tokens].
  void project(const double* a, double* x, Index count) const;

 private:
  struct Parts;
  ValueSpace();
  std::unique_ptr<Parts> parts_;
};

// The same for the values of tokens 0 … t, with t growing by one at a time. Rows of a matrix that has lost
// rank as a whole are first written in a basis of their span, so that a prefix can reach full rank.
class GrowingValueSpace {
 public:
  GrowingValueSpace(std::span<const double> values, Index tokens, Index width, const RankRule& rule);
  ~GrowingValueSpace();
  GrowingValueSpace(const GrowingValueSpace&) = delete;
  GrowingValueSpace& operator=(const GrowingValueSpace&) = delete;

  void grow();            // one more token; at first there is none
  bool identity() const;  // of the prefix
  void project(const double* a, double* x) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace headwater
