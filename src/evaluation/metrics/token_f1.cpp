// Token F1 against human rationales (DeYoung et al., 2020; the protocol of Chefer, Gur & Wolf, 2021): the k
// highest words, a word's score being the largest of its tokens', as a set against the words people marked,
//
//   P = |top_k ∩ E| / k,   R = |top_k ∩ E| / |E|,   F1 = 2PR / (P + R)
//
// for several k, and the mean over them. Words that the model did not see (a text that was cut) are never in
// the top and count in R. k is at most the number of words with a score; of equal scores the ones further
// left come first. No value where nothing was marked.
#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "evaluation/metrics/evaluation.h"
#include "evaluation/trial/rationale.h"
#include "numerics/ranking_quality.h"

namespace headwater {

namespace {

EvaluationValue measure(const Trial& trial, const MethodOptions& options, std::span<const Reply>) {
  const auto marked = static_cast<double>(marked_words(trial.sample));
  if (marked == 0) return no_value();
  const std::vector<std::size_t> order = seen_words_by_score(trial);
  EvaluationValue made;
  for (const int k : parsed_counts(options.text("k"), "token_f1: option k")) {
    const std::size_t taken = std::min(static_cast<std::size_t>(k), order.size());
    double hits = 0;
    for (std::size_t i = 0; i < taken; ++i) hits += trial.sample.words[order[i]].evidence ? 1 : 0;
    // 2PR / (P + R) = 2 hits / (k + |E|)
    made.curve.push_back(taken == 0 ? 0 : 2 * hits / (static_cast<double>(taken) + marked));
    made.value += made.curve.back();
  }
  made.value /= static_cast<double>(made.curve.size());
  return made;
}

std::vector<double> points(const ModelInfo&, const MethodOptions& options) {
  std::vector<double> x;
  for (const int k : parsed_counts(options.text("k"), "token_f1: option k")) x.push_back(k);
  return x;
}

}  // namespace

extern const Evaluation token_f1;
const Evaluation token_f1{
    .name = "token_f1",
    .summary = "How well the highest words match those that annotators marked as the reason.",
    .formula = "F1 of the k highest words against the marked ones, mean over k",
    .paper =
        "DeYoung, Jain, Rajani, Lehman, Xiong, Socher and Wallace, 2020: ERASER: A Benchmark to Evaluate "
        "Rationalized NLP Models. ACL; Chefer, Gur and Wolf, 2021: Transformer Interpretability Beyond "
        "Attention Visualization. CVPR",
    .better = Evaluation::Better::Higher,
    .needs = Evaluation::Needs::Evidence,
    .options = {{"k", "text", "10,20,30,40,50,60,70,80",
                 "numbers of words; the figure is the mean over them"}},
    .curve_over = "words taken",
    .measure = measure,
    .points = points,
};

}  // namespace headwater
