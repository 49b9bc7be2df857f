// IOU F1 against human rationales (DeYoung et al., 2020): words taken are joined to spans where they are
// neighbours; a span is right when its overlap with one of the marked spans is at least half of what the two
// cover together. With h right ones,
//
//   P = h / spans taken,   R = h / spans marked,   F1 = 2PR / (P + R)
//
// The k highest words are taken; k = 0: as many as people marked. No value where nothing was marked.
#include <algorithm>

#include "evaluation/metrics/evaluation.h"
#include "evaluation/trial/rationale.h"

namespace headwater {

namespace {

struct WordRange {
  std::size_t begin, end;
};

std::vector<WordRange> word_ranges(const std::vector<bool>& taken) {
  std::vector<WordRange> ranges;
  for (std::size_t w = 0; w < taken.size(); ++w) {
    if (!taken[w]) continue;
    if (!ranges.empty() && ranges.back().end == w)
      ++ranges.back().end;
    else
      ranges.push_back({w, w + 1});
  }
  return ranges;
}

double overlap(const WordRange& a, const WordRange& b) {
  const std::size_t begin = std::max(a.begin, b.begin), end = std::min(a.end, b.end);
  if (begin >= end) return 0;
  const auto common = static_cast<double>(end - begin);
  return common / (static_cast<double>(a.end - a.begin + b.end - b.begin) - common);
}

EvaluationValue measure(const Trial& trial, const MethodOptions& options, std::span<const Reply>) {
  const std::size_t marked = marked_words(trial.sample);
  if (marked == 0) return no_value();
  const std::vector<std::size_t> order = seen_words_by_score(trial);
  const int k = options.integer("k");
  std::vector<bool> taken(trial.sample.words.size(), false), evidence;
  for (std::size_t i = 0; i < std::min(k > 0 ? static_cast<std::size_t>(k) : marked, order.size()); ++i)
    taken[order[i]] = true;
  for (const AnnotatedWord& word : trial.sample.words) evidence.push_back(word.evidence);
  const std::vector<WordRange> mine = word_ranges(taken), theirs = word_ranges(evidence);
  double right = 0;
  for (const WordRange& range : mine)
    right += std::any_of(theirs.begin(), theirs.end(),
                         [&](const WordRange& other) { return overlap(range, other) >= 0.5; });
  const double precision = mine.empty() ? 0 : right / static_cast<double>(mine.size());
  const double recall = std::min(1.0, right / static_cast<double>(theirs.size()));
  return {.value = precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0};
}

}  // namespace

extern const Evaluation iou_f1;
const Evaluation iou_f1{
    .name = "iou_f1",
    .summary =
        "How well the spans of the highest words match the spans that annotators marked, by at least half.",
    .formula = "F1 of spans, right when |a ∩ b| / |a ∪ b| ≥ ½ for a marked one",
    .paper =
        "DeYoung, Jain, Rajani, Lehman, Xiong, Socher and Wallace, 2020: ERASER: A Benchmark to Evaluate "
        "Rationalized NLP Models. ACL",
    .better = Evaluation::Better::Higher,
    .needs = Evaluation::Needs::Evidence,
    .options = {{"k", "integer", "0", "number of words; 0: as many as the annotators marked", 0, 1000000}},
    .measure = measure,
};

}  // namespace headwater
