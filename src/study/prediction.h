// Predictions: logits interpreted as probabilities, labels and answers. Probabilities are computed in double
// from the logits, whatever the working type.
#pragma once

#include <span>
#include <vector>

#include <headwater/report.h>

#include "study/inputs.h"

namespace headwater {

std::vector<double> softmax(std::span<const double> logits);
// The log of softmax(logits)[entry], even where that probability underflows.
double log_softmax(std::span<const double> logits, std::size_t entry);

// One input's share of a batch's logits: [N] of a sequence head or [rows, N] of a token-wise one.
struct Row {
  Tensor logits;
  std::vector<int> positions;  // positions of the rows; empty: 0, 1, …
};

// The row `index` of the batch.
Row row_of(const Tensor& logits, Index index, const std::vector<int>& positions);
// The logits at one of the row's positions, or of the whole input for heads that have one row.
std::vector<double> logits_at(const Row& row, int position);

// `top` is the number of scores that a vocabulary head keeps; throws InputError unless it is at least 1.
Prediction read_prediction(const LoadedModel& loaded, const Row& row, const Prepared& prepared, int top);

// Probabilities of one output row as its head defines them: softmax over the labels or the vocabulary,
// a sigmoid per label, NaN for a regression score.
std::vector<double> probabilities(const LoadedModel& loaded, std::span<const double> logits);

// The name of an output index: a label, "start" or "end", or a token's text.
std::string outcome_label(const LoadedModel& loaded, int index);

// Probability of an answer's start (column 0) or end (1) at every token: a softmax over the context and
// [CLS], 0 elsewhere.
std::vector<double> answer_softmax(const Tensor& logits, int column, const Encoding& encoding,
                                   const LoadedModel& loaded);
// The best answer span (start <= end, at most 30 tokens, context only), as Hugging Face's pipeline ranks it.
Span best_answer(const Tensor& logits, const Encoding& encoding, const LoadedModel& loaded);
inline constexpr int longest_answer = 30;

}  // namespace headwater
