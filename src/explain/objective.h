// Objective: the number F that a method explains, as a function of the logits. F is the target's logit or
// probability; with a contrast, the difference of two; for an answer, the sum or product over its start and
// its end; for several tokens, the sum of their log-probabilities or the product of their probabilities. It
// works on batches, with one F per input.
#pragma once

#include <string_view>
#include <vector>

#include "study/study.h"

namespace headwater {

enum class Quantity { Logit, Probability };
Quantity quantity_of(std::string_view name);  // "logit", "probability"

class Objective {
 public:
  // Throws Unsupported for the probability of a regression score, because there is none.
  Objective(const Study& study, Quantity quantity);

  // The rows of a token-wise task head that F needs (Batch::positions), one per term; empty: all of them.
  std::vector<int> positions() const;
  // F of every input of a batch. `positions` are those of the batch. If there are as many rows as F has
  // terms, the rows belong to the terms in order, wherever their tokens are in that input.
  std::vector<double> values(const Tensor& logits, const std::vector<int>& positions) const;
  // ∂F/∂logits of every input, the seed of a pull.
  Tensor seed(const Tensor& logits, const std::vector<int>& positions) const;
  // The effect of rounding of the logits on F, from the seeds and the logits they belong to: a bound on the
  // difference of two values that should be equal, and the largest over the batch.
  static double rounding(const Tensor& seeds, const Tensor& logits);
  // F of the study's own input.
  double value() const;
  bool over_tokens() const { return over_tokens_; }  // a softmax over the tokens: all rows belong to F

 private:
  enum class Link { Identity, Sigmoid, Softmax, LogSoftmax };
  bool normalised() const { return link_ == Link::Softmax || link_ == Link::LogSoftmax; }
  bool sums() const { return link_ == Link::Identity || link_ == Link::LogSoftmax; }  // F sums its cells
  struct Slice;
  template <class R>
  Slice slice_of(const R* logits, const Shape& shape, Index input, Index row, int column) const;
  struct Cell;     // where a term is in the logits of one input
  struct Product;  // cells that belong together, and their sign in F
  std::vector<Product> products_of(const Shape& shape, const std::vector<int>& positions) const;

  const Study& study_;
  Link link_ = Link::Identity;
  bool over_tokens_ = false;   // answers: the softmax runs over tokens
  std::vector<bool> allowed_;  // which tokens take part; empty: all
};

}  // namespace headwater
