// Predictions: logits read as probabilities, labels and answers. Probabilities are computed in double
// from the logits as they are, whatever the working type.
#pragma once

#include <span>
#include <vector>

#include <headwater/report.h>

#include "study/inputs.h"

namespace headwater {

std::vector<double> softmax(std::span<const double> logits);
// log of softmax(logits)[entry], also where that is too small for a number.
double log_softmax(std::span<const double> logits, std::size_t entry);

// One input's share of a batch's logits: [N] of a sequence head or [rows, N] of a token-wise one.
struct Row {
  Tensor logits;
  std::vector<int> positions;  // of the rows; empty: 0, 1, …
};

// The row `index` of the batch.
Row row_of(const Tensor& logits, Index index, const std::vector<int>& positions);
// Of one of its positions; of the whole input for heads that have one row.
std::vector<double> logits_at(const Row& row, int position);

// `top`: how many scores a vocabulary head keeps (at least 1; throws InputError otherwise).
Prediction read_prediction(const LoadedModel& loaded, const Row& row, const Prepared& prepared, int top);

// Probabilities of one output row as its head defines them: softmax over the labels or the vocabulary,
// a sigmoid per label, NaN for a regression score.
std::vector<double> probabilities(const LoadedModel& loaded, std::span<const double> logits);

// What an output index is called: a label, "start" or "end", or a token's text.
std::string outcome_label(const LoadedModel& loaded, int index);

// Start (column 0) or end (1) of an answer at every token: a softmax over the context and [CLS], 0 elsewhere.
std::vector<double> answer_softmax(const Tensor& logits, int column, const Encoding& encoding,
                                   const LoadedModel& loaded);
// The best answer span (start <= end, at most 30 tokens, context only), as Hugging Face's pipeline ranks it.
Span best_answer(const Tensor& logits, const Encoding& encoding, const LoadedModel& loaded);
inline constexpr int longest_answer = 30;

}  // namespace headwater
