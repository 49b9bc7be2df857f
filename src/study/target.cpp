#include "study/target.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/error.h>

namespace headwater {

namespace {

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// By name, by name in another case if that is unambiguous, by index.
int label_index(const std::vector<std::string>& labels, const std::string& wanted) {
  const auto exact = std::find(labels.begin(), labels.end(), wanted);
  if (exact != labels.end()) return static_cast<int>(exact - labels.begin());
  const auto alike = [&](const std::string& label) { return same_ignoring_case(label, wanted); };
  if (std::count_if(labels.begin(), labels.end(), alike) == 1)
    return static_cast<int>(std::find_if(labels.begin(), labels.end(), alike) - labels.begin());
  const std::optional<int> index = whole_number(wanted);
  if (index && *index >= 0 && *index < static_cast<int>(labels.size())) return *index;
  const std::size_t listed = std::min<std::size_t>(labels.size(), 20);
  throw InputError(
      fmt::format("target: expected one of {}{} or an index 0 … {}, found '{}'",
                  fmt::join(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(listed), ", "),
                  listed < labels.size() ? ", …" : "", labels.size() - 1, wanted));
}

// "#id", an exact piece, or a text that encodes to one token.
int token_index(const Tokenizer& tokenizer, int vocabulary, const std::string& wanted) {
  if (wanted.starts_with('#')) {
    const std::optional<int> id = whole_number(std::string_view(wanted).substr(1));
    if (id && *id >= 0 && *id < vocabulary) return *id;
    if (id || !tokenizer.id_of(wanted))
      throw InputError(
          fmt::format("target: expected a token id #0 … #{}, found '{}'", vocabulary - 1, wanted));
  }
  if (const std::optional<int> id = tokenizer.id_of(wanted)) return *id;
  const Encoding encoding = tokenizer.encode(wanted, {}, {.add_special_tokens = false});
  if (encoding.tokens.size() == 1) return encoding.tokens.front().id;
  std::vector<std::string> pieces;
  for (const Token& token : encoding.tokens) pieces.push_back(token.piece);
  throw InputError(
      fmt::format("target: expected the text of one token, found '{}', which is {} tokens ({}); name "
                  "one of them, or a token id as #id",
                  wanted, pieces.size(), fmt::join(pieces, " ")));
}

int index_of(const Reader& reader, const std::string& wanted) {
  const ModelInfo& info = reader.info();
  if (info.task == Task::QuestionAnswering) return label_index({"start", "end"}, wanted);
  if (info.task == Task::FillMask || info.task == Task::TextGeneration)
    return token_index(*reader.tokenizer, info.vocabulary, wanted);
  return label_index(info.labels, wanted);
}

// The outcome a target without a position means.
const Outcome& default_outcome(const Reader& reader, const TargetSpec& spec, const Prediction& prediction,
                               const Encoding& encoding) {
  const std::vector<Outcome>& all = prediction.outcomes;
  if (reader.info().task == Task::QuestionAnswering)
    return all[spec.label.empty() ? 0 : static_cast<std::size_t>(index_of(reader, spec.label))];
  if (reader.info().task == Task::TextGeneration) return all.back();
  if (reader.info().task == Task::TokenClassification)
    for (const Outcome& outcome : all)
      if (!encoding.tokens[static_cast<std::size_t>(outcome.position)].special) return outcome;
  return all.front();
}

struct Measured {
  double logit, probability;
};

// Sequence heads have one row, token-wise ones the row of the position; answers are ranked over positions.
Measured measure(const Reader& reader, const Row& row, const Encoding& encoding, int position, int index) {
  const auto at = static_cast<std::size_t>(index);
  if (reader.info().task == Task::QuestionAnswering)
    return {row.logits.at(Index{position} * 2 + index),
            answer_softmax(row.logits, index, encoding, reader)[static_cast<std::size_t>(position)]};
  const std::vector<double> z = logits_at(row, position);
  return {z[at], probabilities(reader, z)[at]};
}

int position_of(const Reader& reader, const TargetSpec& spec, const Prediction& prediction,
                const Encoding& encoding, const Row& row) {
  const bool sequence = row.logits.rank() == 1;
  if (!spec.position) return default_outcome(reader, spec, prediction, encoding).position;
  if (sequence)
    throw InputError(fmt::format("position: expected none for {}, whose output is one row, found {}",
                                 name_of(reader.info().task), *spec.position));
  const bool inside = row.positions.empty() ? *spec.position >= 0 && *spec.position < row.logits.dim(0)
                                            : std::find(row.positions.begin(), row.positions.end(),
                                                        *spec.position) != row.positions.end();
  if (!inside)
    throw InputError(fmt::format("position: expected 0 … {}, found {}",
                                 row.positions.empty() ? row.logits.dim(0) - 1 : Index{row.positions.back()},
                                 *spec.position));
  return *spec.position;
}

}  // namespace

Target resolve_target(const Reader& reader, const TargetSpec& spec, const Prediction& prediction,
                      const Encoding& encoding, const Row& row) {
  if (reader.info().task == Task::FeatureExtraction) {
    if (spec.label.empty() && spec.contrast.empty() && !spec.position) return {};
    throw InputError(
        fmt::format("target: expected none for {}, which has no head", reader.info().architecture));
  }
  Target target;
  target.position = position_of(reader, spec, prediction, encoding, row);
  if (!spec.label.empty()) {
    target.index = index_of(reader, spec.label);
  } else {
    const auto here = std::find_if(prediction.outcomes.begin(), prediction.outcomes.end(),
                                   [&](const Outcome& o) { return o.position == target.position; });
    target.index = here == prediction.outcomes.end() ? 0 : here->top.front().index;
  }
  target.label = outcome_label(reader, target.index);
  const Measured wanted = measure(reader, row, encoding, target.position, target.index);
  target.logit = wanted.logit;
  target.probability = wanted.probability;
  if (!spec.contrast.empty()) {
    target.contrast = index_of(reader, spec.contrast);
    if (*target.contrast == target.index)
      throw InputError(
          fmt::format("contrast: expected another one than the target, found '{}' twice", target.label));
    target.contrast_label = outcome_label(reader, *target.contrast);
    const Measured other = measure(reader, row, encoding, target.position, *target.contrast);
    target.logit -= other.logit;
    target.probability -= other.probability;
  }
  return target;
}

}  // namespace headwater
