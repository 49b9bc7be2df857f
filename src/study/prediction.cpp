// Softmax in double, p_i = exp(z_i − max z) / Σ_j exp(z_j − max z); multi-label heads and heads that say yes
// or no by one logit use 1 / (1 + exp(−z)).
//
// Answers follow the question-answering pipeline of Hugging Face: start and end are two softmaxes over the
// context and [CLS], the score of a span is their product, and only spans inside the context may win.
#include "study/prediction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <headwater/error.h>

#include "study/token_text.h"

namespace headwater {

std::vector<double> softmax(std::span<const double> logits) {
  if (logits.empty()) return {};
  const double largest = *std::max_element(logits.begin(), logits.end());
  std::vector<double> p(logits.size());
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += p[i] = std::exp(logits[i] - largest);
  for (double& v : p) v /= sum;
  return p;
}

double log_softmax(std::span<const double> logits, std::size_t entry) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const double z : logits) sum += std::exp(z - largest);
  return logits[entry] - largest - std::log(sum);
}

std::vector<double> probabilities(const LoadedModel& loaded, std::span<const double> logits) {
  const bool sequence = loaded.info().task == Task::TextClassification;
  if (sequence && loaded.problem == Problem::Regression)
    return std::vector<double>(logits.size(), std::numeric_limits<double>::quiet_NaN());
  const bool several = sequence && loaded.problem == Problem::MultiLabel;
  if (!several && loaded.info().otherwise.empty()) return softmax(logits);
  std::vector<double> p;
  for (const double z : logits) p.push_back(1 / (1 + std::exp(-z)));
  return p;
}

std::string outcome_label(const LoadedModel& loaded, int index) {
  const ModelInfo& info = loaded.info();
  if (info.task == Task::QuestionAnswering) return index == 0 ? "start" : "end";
  if (is_vocabulary(info.task)) return token_label(*loaded.tokenizer, index);
  const auto i = static_cast<std::size_t>(index);
  return i < info.labels.size() ? info.labels[i] : fmt::format("LABEL_{}", index);
}

Row row_of(const Tensor& logits, Index index, const std::vector<int>& positions) {
  const Tensor one = logits.rows(index, 1);
  return {one.reshaped(one.shape().without_front()), positions};
}

std::vector<double> logits_at(const Row& row, int position) {
  if (row.logits.rank() == 1) return row.logits.to_doubles();
  const auto found = std::find(row.positions.begin(), row.positions.end(), position);
  return row.logits.rows(row.positions.empty() ? position : found - row.positions.begin(), 1).to_doubles();
}

namespace {

// Tokens that look the same get their id after the text, except the likeliest.
void tell_apart(std::vector<Score>& top) {
  std::set<std::string, std::less<>> seen;
  for (Score& score : top)
    if (!seen.emplace(without_space(score.label)).second) score.label += fmt::format(" #{}", score.index);
}

// The best `count` of one output row, ties by index.
Outcome outcome_of(const LoadedModel& loaded, std::span<const double> logits, int position,
                   std::size_t count) {
  const std::vector<double> p = probabilities(loaded, logits);
  std::vector<int> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto kept = static_cast<std::ptrdiff_t>(std::min(count, order.size()));
  std::partial_sort(order.begin(), order.begin() + kept, order.end(), [&](int a, int b) {
    const double x = logits[static_cast<std::size_t>(a)], y = logits[static_cast<std::size_t>(b)];
    return x != y ? x > y : a < b;
  });
  Outcome outcome{.position = position};
  for (auto it = order.begin(); it != order.begin() + kept; ++it) {
    const auto i = static_cast<std::size_t>(*it);
    outcome.top.push_back({outcome_label(loaded, *it), *it, p[i], logits[i]});
  }
  if (is_vocabulary(loaded.info().task)) tell_apart(outcome.top);
  if (const std::string& no = loaded.info().otherwise; !no.empty()) {
    const double z = logits.front();
    const Score other{.label = no, .index = -1, .probability = 1 / (1 + std::exp(z)), .logit = -z};
    outcome.top.insert(z > 0 ? outcome.top.end() : outcome.top.begin(), other);
  }
  return outcome;
}

// Start and end of an answer: the logits of one column over the allowed tokens, as a softmax.
std::vector<double> column_softmax(const Tensor& logits, Index column, const std::vector<bool>& allowed) {
  std::vector<double> z(allowed.size());
  for (std::size_t t = 0; t < z.size(); ++t)
    z[t] =
        allowed[t] ? logits.at(static_cast<Index>(t) * 2 + column) : -std::numeric_limits<double>::infinity();
  return softmax(z);
}

struct AnswerMasks {
  std::vector<bool> context;   // tokens that an answer may contain
  std::vector<bool> weighted;  // those and [CLS], which takes its share of the probability
};

AnswerMasks answer_masks(const Encoding& encoding, const LoadedModel& loaded) {
  const std::optional<int> cls = loaded.tokenizer->special_id("cls_token");
  AnswerMasks masks;
  for (const Token& token : encoding.tokens) {
    const bool context = token.segment == 1 && !token.special;
    masks.context.push_back(context);
    masks.weighted.push_back(context || (cls && token.id == *cls));
  }
  if (std::find(masks.context.begin(), masks.context.end(), true) == masks.context.end())
    throw InputError("input: expected a context with at least one token, found none; give it as the pair");
  return masks;
}

// The original bytes from the first to the last token, widened to whole words as the pipeline does.
std::string answer_text(const Encoding& encoding, std::size_t first, std::size_t last) {
  const std::vector<Token>& tokens = encoding.tokens;
  while (first > 0 && same_word(tokens[first - 1], tokens[first])) --first;
  while (last + 1 < tokens.size() && same_word(tokens[last], tokens[last + 1])) ++last;
  const auto begin = static_cast<std::size_t>(encoding.tokens[first].begin);
  const auto end = static_cast<std::size_t>(encoding.tokens[last].end);
  return end > begin ? encoding.pair.substr(begin, end - begin) : std::string{};
}

void read_answer(const LoadedModel& loaded, const Tensor& logits, const Encoding& encoding,
                 Prediction& prediction) {
  const Span answer = best_answer(logits, encoding, loaded);
  const int at[2] = {answer.first_token, answer.last_token};
  for (int column = 0; column < 2; ++column) {
    const double p = answer_softmax(logits, column, encoding, loaded)[static_cast<std::size_t>(at[column])];
    const double z = logits.at(Index{at[column]} * 2 + column);
    prediction.outcomes.push_back(
        {.position = at[column], .top = {{outcome_label(loaded, column), column, p, z}}});
  }
  prediction.answer = answer;
}

}  // namespace

std::vector<double> answer_softmax(const Tensor& logits, int column, const Encoding& encoding,
                                   const LoadedModel& loaded) {
  return column_softmax(logits, column, answer_masks(encoding, loaded).weighted);
}

Span best_answer(const Tensor& logits, const Encoding& encoding, const LoadedModel& loaded) {
  const AnswerMasks masks = answer_masks(encoding, loaded);
  const std::vector<double> start = column_softmax(logits, 0, masks.weighted);
  const std::vector<double> end = column_softmax(logits, 1, masks.weighted);
  Span best{.probability = -1};
  for (std::size_t s = 0; s < start.size(); ++s) {
    if (!masks.context[s]) continue;
    for (std::size_t e = s; e < std::min(end.size(), s + longest_answer); ++e) {
      if (!masks.context[e] || start[s] * end[e] <= best.probability) continue;
      best.first_token = static_cast<int>(s);
      best.last_token = static_cast<int>(e);
      best.probability = start[s] * end[e];
    }
  }
  best.text = answer_text(encoding, static_cast<std::size_t>(best.first_token),
                          static_cast<std::size_t>(best.last_token));
  return best;
}

Prediction read_prediction(const LoadedModel& loaded, const Row& row, const Prepared& prepared, int top) {
  if (top < 1) throw InputError(fmt::format("top: expected at least 1, found {}", top));
  const Task task = loaded.info().task;
  InputUnits units = units_of(loaded.info(), prepared);
  Prediction prediction{.task = task,
                        .sequences = std::move(units.sequences),
                        .units = std::move(units.all),
                        .truncated = prepared.encoding.truncated || prepared.source.truncated};
  if (task == Task::FeatureExtraction) {
    prediction.hidden = row.logits.clone();
    return prediction;
  }
  if (task == Task::QuestionAnswering) {
    read_answer(loaded, row.logits, prepared.encoding, prediction);
    return prediction;
  }
  const bool sequence = row.logits.rank() == 1;
  const Index rows = sequence ? 1 : row.logits.dim(0);
  const std::size_t kept = is_vocabulary(loaded.info().task) ? static_cast<std::size_t>(top)
                                                             : std::numeric_limits<std::size_t>::max();
  for (Index r = 0; r < rows; ++r) {
    const Tensor one = sequence ? row.logits : row.logits.rows(r, 1);
    const std::vector<double> z = one.to_doubles();
    const int at = row.positions.empty() ? static_cast<int>(r) : row.positions[static_cast<std::size_t>(r)];
    prediction.outcomes.push_back(outcome_of(loaded, z, sequence ? -1 : at, kept));
    if (sequence) prediction.logits = z;
  }
  return prediction;
}

}  // namespace headwater
