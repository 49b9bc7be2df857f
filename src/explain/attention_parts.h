// AttentionParts: what the attention of one block writes, token by token.
//
//   a_i = Σ_j R_ij + b_O        R_ij = f_ij + [i = j] x_i        f_ij = Σ_h α^h_ij u^h_j
//
// with x_i the block's input, a_i the sum of attention and residual path, and u^h_j = v^h_j W_O^h the value
// of token j as head h writes it (including the value's bias; b_O belongs to no token). The parts f_ij are
// never all in memory: a caller goes through the tokens j in tiles and gets their u^h_j. All numbers are
// double.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <headwater/report.h>

#include "blocks/recognise.h"
#include "study/attentions.h"
#include "study/study.h"

namespace headwater {

// The effect of a norm on one part of a sum: N(z) = γ ⊙ C(z), C(z) = z − mean(z) (RMSNorm: C(z) = z). The
// norm of the whole sum a is N(a) / s(a) + β with s(a) = √(mean(C(a)²) + ε), so a part z of it becomes N(z) /
// s(a).
class NormMap {
 public:
  explicit NormMap(const NormWeights& weights);
  void apply(double* z) const;              // N(z), in place
  double deviation(const double* z) const;  // s(z)
  double variance(const double* z) const;   // mean(C(z)²)
  void whole(double* z, double s) const;    // N(z) / s + β, in place

 private:
  std::vector<double> gamma_, beta_;
  double eps_;
};

class AttentionParts {
 public:
  // Throws Unsupported if the model is not made of blocks.
  AttentionParts(const Study& study, const AttentionKind& kind, int layer);
  static std::vector<Site> sites();  // sites of the run that it reads
  // Bytes of one object and of the tile it works on.
  static std::size_t bytes(const ModelInfo& info, Index tokens);

  Index tokens() const { return tokens_; }
  Index heads() const { return heads_; }
  Index width() const { return width_; }
  bool causal() const { return causal_; }
  Index first_query(Index j) const { return causal_ ? j : 0; }  // the queries that may read token j

  const double* input(Index i) const { return input_.data() + i * width_; }  // x_i
  void weights(Index i, Index j, double* to) const;                          // α^h_ij of all heads, [H]
  // Calls f(begin, count, u) for tiles of tokens; f may change u [count, H, D].
  void for_tiles(const std::function<void(Index begin, Index count, double* u)>& f) const;
  std::vector<double> sums() const;                  // a_i, [T, D]
  std::vector<double> others() const;                // Σ_{j≠i} R_ij, [T, D]
  std::vector<double> part(Index i, Index j) const;  // f_ij directly from its definition, [D], for checks
  const std::vector<double>& bias() const { return bias_; }  // b_O [D]

 private:
  std::vector<double> mixed(bool own) const;

  Index tokens_, heads_, groups_, head_width_, width_;
  bool causal_;
  Tensor pattern_;                                      // [1, H, T, T]
  std::vector<double> values_, input_, output_, bias_;  // v [T, G·E], x [T, D], W_O [D, H·E], b_O [D]
};

// The block of this kind's stack if it is a plain one and the kind is its own attention; otherwise nothing.
std::optional<PlainBlock> plain_block_of(const Study& study, const AttentionKind& kind, int layer);

// Rows and pairs for which a result is compared with plain sums and plain vectors.
std::vector<Index> sampled_rows(Index tokens);
std::vector<std::pair<Index, Index>> sampled_pairs(Index tokens, bool causal);

// Checks on sampled rows of every layer that the parts add up to what the model wrote there.
class SumCheck {
 public:
  explicit SumCheck(DType dtype) : dtype_(dtype) {}
  void begin(const AttentionParts& parts);
  void add(const AttentionParts& parts, Index begin, Index count, const double* u);  // u^h_j of a tile
  // `written` is the value at Site::ResidMid; `norm` is the norm between a_i and it, or null.
  void end(const AttentionParts& parts, const Tensor& written, const NormMap* norm);
  bool measured() const { return !rows_.empty(); }
  Check check() const;

 private:
  DType dtype_;
  double worst_ = 0;
  std::vector<Index> rows_;
  std::vector<double> sums_;  // [rows, D]
};

}  // namespace headwater
