#include "study/target.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <headwater/error.h>

#include "study/labels.h"
#include "study/token_target.h"

namespace headwater {

namespace {

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

const std::vector<std::string> ends_of_answers{"start", "end"};

int index_of(const LoadedModel& loaded, const std::string& wanted) {
  const ModelInfo& info = loaded.info();
  if (info.task == Task::QuestionAnswering) return label_index(ends_of_answers, wanted, "target");
  return label_index(info.labels, wanted, "target");
}

// The outcome of a target without a position.
const Outcome& default_outcome(const LoadedModel& loaded, const TargetSpec& spec,
                               const Prediction& prediction, const Encoding& encoding) {
  const std::vector<Outcome>& all = prediction.outcomes;
  if (loaded.info().task == Task::QuestionAnswering)
    return all[spec.label.empty() ? 0 : static_cast<std::size_t>(index_of(loaded, spec.label))];
  if (writes(loaded.info().task)) return all.back();
  if (loaded.info().task == Task::TokenClassification)
    for (const Outcome& outcome : all)
      if (!encoding.tokens[static_cast<std::size_t>(outcome.position)].special) return outcome;
  return all.front();
}

struct Measured {
  double logit, probability;

  void put_into(Target& target) const {
    target.logit = logit;
    target.probability = probability;
  }
  void take_from(Target& target) const {
    target.logit -= logit;
    target.probability -= probability;
  }
};

[[noreturn]] void refuse_same(const Target& target) {
  throw InputError(
      fmt::format("contrast: expected another one than the target, found '{}' twice", target.label));
}

// Sequence heads have one row, token-wise ones the row of the position; answers are ranked over positions.
Measured measure(const LoadedModel& loaded, const Row& row, const Encoding& encoding, int position,
                 int index) {
  const auto at = static_cast<std::size_t>(index);
  if (loaded.info().task == Task::QuestionAnswering)
    return {row.logits.at(Index{position} * 2 + index),
            answer_softmax(row.logits, index, encoding, loaded)[static_cast<std::size_t>(position)]};
  const std::vector<double> z = logits_at(row, position);
  return {z[at], probabilities(loaded, z)[at]};
}

bool in_context(const Encoding& encoding, int token) {
  if (token < 0 || token >= static_cast<int>(encoding.tokens.size())) return false;
  const Token& there = encoding.tokens[static_cast<std::size_t>(token)];
  return there.segment == 1 && !there.special;
}

// Whole answers with their logits and probabilities.
class Answers {
 public:
  Answers(const LoadedModel& loaded, const Row& row, const Encoding& encoding)
      : encoding_(encoding), logits_(row.logits) {
    for (int column = 0; column < 2; ++column) p_[column] = answer_softmax(logits_, column, encoding, loaded);
  }

  Measured measure(const TokenRange& span) const {
    return {logits_.at(Index{span.first} * 2) + logits_.at(Index{span.last} * 2 + 1),
            p_[0][static_cast<std::size_t>(span.first)] * p_[1][static_cast<std::size_t>(span.last)]};
  }
  // The target is "span", "12-15", or a text of the context; a text that occurs several times means the
  // likeliest place.
  TokenRange find(const std::string& wanted, const Span& predicted) const {
    if (same_ignoring_case(wanted, "span")) return {predicted.first_token, predicted.last_token};
    const std::size_t dash = wanted.find('-');
    const std::optional<int> first = whole_number(std::string_view(wanted).substr(0, dash));
    const std::optional<int> last =
        dash == std::string::npos ? first : whole_number(std::string_view(wanted).substr(dash + 1));
    if (first && last && dash != std::string::npos) return checked({*first, *last}, wanted);
    std::optional<TokenRange> best;
    for (std::size_t at = encoding_.pair.find(wanted); at != std::string::npos;
         at = encoding_.pair.find(wanted, at + 1)) {
      const std::optional<TokenRange> here = covering(static_cast<Index>(at), wanted.size());
      if (here && (!best || measure(*here).probability > measure(*best).probability)) best = here;
    }
    if (best) return *best;
    throw InputError(
        fmt::format("target: expected start, end, span (the predicted answer), two token positions such as "
                    "{0}-{0}, or a text of the context, found '{1}'",
                    predicted.first_token, wanted));
  }

 private:
  TokenRange checked(const TokenRange& span, const std::string& wanted) const {
    if (in_context(encoding_, span.first) && in_context(encoding_, span.last) && span.first <= span.last)
      return span;
    int first = 0, last = static_cast<int>(encoding_.tokens.size()) - 1;
    while (!in_context(encoding_, first)) ++first;
    while (!in_context(encoding_, last)) --last;
    throw InputError(
        fmt::format("target: expected an answer inside the context, tokens {} … {}, found '{}'; "
                    "`headwater tokenize` counts them",
                    first, last, wanted));
  }

  // The tokens that cover these bytes of the context.
  std::optional<TokenRange> covering(Index begin, std::size_t bytes) const {
    const Index end = begin + static_cast<Index>(bytes);
    std::optional<TokenRange> span;
    for (int t = 0; t < static_cast<int>(encoding_.tokens.size()); ++t) {
      const Token& token = encoding_.tokens[static_cast<std::size_t>(t)];
      if (!in_context(encoding_, t) || token.end <= begin || token.begin >= end) continue;
      span = {span ? span->first : t, t};
    }
    return span;
  }

  const Encoding& encoding_;
  const Tensor logits_;       // [T, 2]
  std::vector<double> p_[2];  // start, end
};

std::string text_of(const Encoding& encoding, const TokenRange& span) {
  const auto begin = static_cast<std::size_t>(encoding.tokens[static_cast<std::size_t>(span.first)].begin);
  const auto end = static_cast<std::size_t>(encoding.tokens[static_cast<std::size_t>(span.last)].end);
  return encoding.pair.substr(begin, end - begin);
}

// Start and end by name are single logits; everything else names a whole answer.
bool names_answer(const std::string& wanted) {
  return std::none_of(ends_of_answers.begin(), ends_of_answers.end(),
                      [&](const std::string& end) { return same_ignoring_case(end, wanted); }) &&
         wanted != "0" && wanted != "1";
}

Target resolve_answer(const LoadedModel& loaded, const TargetSpec& spec, const Prediction& prediction,
                      const Encoding& encoding, const Row& row) {
  if (spec.position)
    throw InputError(
        fmt::format("position: expected none for a whole answer, found {}; ask for start or end "
                    "there, or for an answer as two positions",
                    *spec.position));
  const Answers answers(loaded, row, encoding);
  Target target;
  target.span = answers.find(spec.label.empty() ? "span" : spec.label, *prediction.answer);
  target.position = target.span->first;
  target.label = text_of(encoding, *target.span);
  answers.measure(*target.span).put_into(target);
  if (spec.contrast.empty()) return target;
  if (!names_answer(spec.contrast))
    throw InputError(fmt::format("contrast: expected another answer, found '{}'", spec.contrast));
  target.contrast = 0;
  target.contrast_span = answers.find(spec.contrast, *prediction.answer);
  target.contrast_label = text_of(encoding, *target.contrast_span);
  if (target.contrast_span->first == target.span->first && target.contrast_span->last == target.span->last)
    refuse_same(target);
  answers.measure(*target.contrast_span).take_from(target);
  return target;
}

int position_of(const LoadedModel& loaded, const TargetSpec& spec, const Prediction& prediction,
                const Encoding& encoding, const Row& row) {
  const bool sequence = row.logits.rank() == 1;
  if (!spec.position) return default_outcome(loaded, spec, prediction, encoding).position;
  if (sequence)
    throw InputError(fmt::format("position: expected none for {}, whose output is one row, found {}",
                                 name_of(loaded.info().task), *spec.position));
  const bool inside = row.positions.empty() ? *spec.position >= 0 && *spec.position < row.logits.dim(0)
                                            : std::find(row.positions.begin(), row.positions.end(),
                                                        *spec.position) != row.positions.end();
  if (!inside)
    throw InputError(fmt::format("position: expected 0 … {}, found {}",
                                 row.positions.empty() ? row.logits.dim(0) - 1 : Index{row.positions.back()},
                                 *spec.position));
  return *spec.position;
}

// The target of a language model: a token of the row, or several at the rows from there on.
Target resolve_tokens(const LoadedModel& loaded, const TargetSpec& spec, const Encoding& encoding,
                      const Row& row, int position) {
  Target target{.position = position};
  const std::vector<double> z = logits_at(row, position);
  std::vector<int> wanted{static_cast<int>(std::max_element(z.begin(), z.end()) - z.begin())}, other;
  if (!spec.label.empty()) wanted = tokens_meant(loaded, encoding, position, z, spec.label, "target");
  if (!spec.contrast.empty()) other = tokens_meant(loaded, encoding, position, z, spec.contrast, "contrast");
  const bool several = wanted.size() > 1 || other.size() > 1;
  const auto name = [&](const std::vector<int>& ids) {
    return ids.size() == 1 ? token_name(loaded, z, ids.front()) : loaded.tokenizer->decode(ids, false);
  };
  const auto measure = [&](const std::vector<int>& ids) -> Measured {
    if (!several)
      return {z[static_cast<std::size_t>(ids.front())], softmax(z)[static_cast<std::size_t>(ids.front())]};
    double sum = 0;
    for (std::size_t i = 0; i < ids.size(); ++i)
      sum += log_softmax(logits_at(row, position + static_cast<int>(i)), static_cast<std::size_t>(ids[i]));
    return {sum, std::exp(sum)};
  };
  target.index = wanted.front();
  target.label = name(wanted);
  measure(wanted).put_into(target);
  if (wanted.size() > 1) target.tokens = wanted;
  if (other.empty()) return target;
  if (other == wanted) refuse_same(target);
  target.contrast = other.front();
  target.contrast_label = name(other);
  measure(other).take_from(target);
  if (other.size() > 1) target.contrast_tokens = other;
  return target;
}

}  // namespace

Target resolve_target(const LoadedModel& loaded, const TargetSpec& spec, const Prediction& prediction,
                      const Encoding& encoding, const Row& row) {
  if (loaded.info().task == Task::FeatureExtraction) {
    if (spec.label.empty() && spec.contrast.empty() && !spec.position) return {};
    throw InputError(
        fmt::format("target: expected none for {}, which has no head", loaded.info().architecture));
  }
  if (loaded.info().task == Task::QuestionAnswering && names_answer(spec.label) &&
      !(spec.label.empty() && spec.position))
    return resolve_answer(loaded, spec, prediction, encoding, row);
  const int position = position_of(loaded, spec, prediction, encoding, row);
  if (is_vocabulary(loaded.info().task)) return resolve_tokens(loaded, spec, encoding, row, position);
  Target target{.position = position};
  if (!spec.label.empty()) {
    target.index = index_of(loaded, spec.label);
  } else {
    const auto here = std::find_if(prediction.outcomes.begin(), prediction.outcomes.end(),
                                   [&](const Outcome& o) { return o.position == target.position; });
    // A label without a logit cannot be explained; the one it stands against can.
    target.index = here == prediction.outcomes.end() ? 0 : std::max(0, here->top.front().index);
  }
  target.label = outcome_label(loaded, target.index);
  measure(loaded, row, encoding, target.position, target.index).put_into(target);
  if (!spec.contrast.empty()) {
    target.contrast = index_of(loaded, spec.contrast);
    if (*target.contrast == target.index) refuse_same(target);
    target.contrast_label = outcome_label(loaded, *target.contrast);
    measure(loaded, row, encoding, target.position, *target.contrast).take_from(target);
  }
  return target;
}

}  // namespace headwater
