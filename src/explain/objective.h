// Objective: the number a method explains, as a function F of the logits: the target's logit or its
// probability; with a contrast the difference of two; of an answer, the sum or the product of its start's and
// its end's; of several tokens, the sum of their log-probabilities or the product of their probabilities.
// Works on batches, one F per input.
#pragma once

#include <string_view>
#include <vector>

#include "study/study.h"

namespace headwater {

enum class Quantity { Logit, Probability };
Quantity quantity_of(std::string_view name);  // "logit", "probability"

class Objective {
 public:
  // Throws Unsupported for the probability of a regression score, which has none.
  Objective(const Study& study, Quantity quantity);

  // The rows of a token-wise head that F needs (Batch::positions), one per term; empty: all of them.
  std::vector<int> positions() const;
  // F of every input of a batch. `positions` as the batch had them; with as many rows as F has terms, they
  // are the terms' in turn, wherever their tokens stand in that input.
  std::vector<double> values(const Tensor& logits, const std::vector<int>& positions) const;
  // ∂F/∂logits of every input, the seed of a pull.
  Tensor seed(const Tensor& logits, const std::vector<int>& positions) const;
  // What rounding of the logits makes of F, from the seeds and the logits they belong to: a bound on the
  // difference of two values that should be equal. The largest over the batch.
  static double rounding(const Tensor& seeds, const Tensor& logits);
  // F of the study's own input.
  double value() const;
  bool over_tokens() const { return over_tokens_; }  // a softmax over the tokens: all rows belong to F

 private:
  enum class Link { Identity, Sigmoid, Softmax, LogSoftmax };
  bool normalised() const { return link_ == Link::Softmax || link_ == Link::LogSoftmax; }
  bool sums() const { return link_ == Link::Identity || link_ == Link::LogSoftmax; }  // its cells
  struct Slice;
  template <class R>
  Slice slice_of(const R* logits, const Shape& shape, Index input, Index row, int column) const;
  struct Cell;     // a term's place among the logits of one input
  struct Product;  // cells that belong together, and their sign in F
  std::vector<Product> products_of(const Shape& shape, const std::vector<int>& positions) const;

  const Study& study_;
  Link link_ = Link::Identity;
  bool over_tokens_ = false;   // answers: the softmax runs over tokens
  std::vector<bool> allowed_;  // which tokens take part; empty: all
};

}  // namespace headwater
