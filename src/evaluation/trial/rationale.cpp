#include "evaluation/trial/rationale.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/strings.h"
#include "numerics/ranking_quality.h"

namespace headwater {

std::size_t marked_words(const Sample& sample) {
  return static_cast<std::size_t>(std::count_if(sample.words.begin(), sample.words.end(),
                                                [](const AnnotatedWord& word) { return word.evidence; }));
}

std::vector<std::size_t> seen_words_by_score(const Trial& trial) {
  const std::vector<double> scores = word_scores(trial.rows.back(), trial.sample);
  std::vector<std::size_t> order = descending_order(scores);
  std::erase_if(order, [&](std::size_t word) { return std::isinf(scores[word]); });
  return order;
}

std::vector<int> parsed_counts(const std::string& text, const std::string& where) {
  std::vector<int> counts;
  for (const std::string& piece : split(text, ',')) {
    int count = 0;
    const auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), count);
    if (error != std::errc{} || end != piece.data() + piece.size() || count < 1)
      throw InputError(
          fmt::format("{}: expected whole numbers from 1 such as 10,20, found '{}'", where, piece));
    counts.push_back(count);
  }
  return counts;
}

std::vector<bool> cue_tokens(const Sample& sample, std::size_t tokens) {
  std::vector<bool> cues(tokens, false);
  for (const TextSpan& cue : sample.cues)
    for (std::size_t t = 0; t < std::min(tokens, sample.tokens.size()); ++t) {
      const Unit& token = sample.tokens[t];
      if (token.special || token.segment != 0 || token.begin >= cue.end || token.end <= cue.begin) continue;
      cues[t] = true;
      break;
    }
  return cues;
}

double share_on_cues(const std::vector<double>& row, const std::vector<bool>& cues) {
  double all = 0, on_cues = 0;
  for (std::size_t t = 0; t < row.size(); ++t) {
    const double size = std::isfinite(row[t]) ? std::abs(row[t]) : 0;
    all += size;
    if (cues[t]) on_cues += size;
  }
  return on_cues / all;  // 0/0: nothing to share
}

double cue_average_precision(const std::vector<double>& row, const std::vector<bool>& cues) {
  std::vector<double> scores;
  std::vector<bool> wanted;
  for (std::size_t t = 0; t < row.size(); ++t)
    if (std::isfinite(row[t])) {
      scores.push_back(row[t]);
      wanted.push_back(cues[t]);
    }
  return average_precision(scores, wanted);
}

}  // namespace headwater
