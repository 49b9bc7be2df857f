// A deliberately broken method, whose scores are random numbers, comes out at the random baseline by every
// metric; one that points at the words that decide does not.
#include <cmath>
#include <span>

#include <gtest/gtest.h>

#include "checkpoint/checkpoint.h"
#include "evaluation/run/evaluate.h"
#include "models/family.h"
#include "numerics/random.h"
#include "support/source_folder.h"

namespace headwater {
namespace {

const std::vector<std::string> deciding{"great", "awful", "dull", "wonderful", "terrible", "boring"};
const std::vector<std::string> others{"the", "film", "is", "a", "plot", "man", "and", "song", "this", "of"};

LoadedModel sentiment_model() {
  const std::string folder = std::string(HEADWATER_SOURCE_DIR) + "/models/sentiment";
  return {.model = load_model(open_checkpoint(find_model(folder, {}), DType::Float32)),
          .tokenizer = Tokenizer::load(folder)};
}

// Nine words, two of which decide; these are marked as people would.
EvaluationExample random_example(std::uint64_t number) {
  RandomSequence random(number + 1);
  EvaluationExample made{.annotated = true};
  const std::vector<bool> decides = random.choice(9, 2);
  for (const bool one : decides) {
    const std::vector<std::string>& words = one ? deciding : others;
    const std::string& word = words[random.below(words.size())];
    const auto begin = static_cast<Index>(made.input.text.size());
    if (one) made.evidence.push_back({begin, begin + static_cast<Index>(word.size())});
    made.input.text += word + " ";
  }
  return made;
}

// "saliency" stands for random scores, "occlusion" for the words that decide.
Report broken(const LoadedModel& loaded, const Request& request) {
  Report report{.model = loaded.info()};
  const InputUnits units = units_of(loaded.info(), prepare(loaded, request.input));
  report.prediction.sequences = units.sequences;
  report.prediction.units = units.all;
  report.target.index = 1;
  const std::uint64_t stream = random_stream(99, request.input.text);
  for (const MethodSpec& method : request.methods) {
    Attribution made{.method = method.name};
    std::vector<double> scores;
    for (std::size_t t = 0; t < units.all.size(); ++t) {
      const bool known = std::find(deciding.begin(), deciding.end(), units.all[t].text) != deciding.end();
      scores.push_back(method.name == "saliency" ? random_uniform(stream, t) : known ? 1 : 0);
    }
    made.scores() = Tensor::of({static_cast<Index>(scores.size())}, scores);
    made.axes() = {Axis::Units};
    report.attributions.push_back(made);
  }
  return report;
}

TEST(EvaluationBaseline, RandomScoresAreNotToldFromIt) {
  const LoadedModel loaded = sentiment_model();
  const Explainer explainer{.loaded = loaded,
                            .explain = [](const LoadedModel& with, const Request& request,
                                          const Target*) { return broken(with, request); },
                            .planned = [](const Request&) { return std::size_t{0}; }};
  EvaluateRequest request{.methods = {{"saliency"}, {"occlusion"}},
                          .metrics = {{"deletion"},
                                      {"insertion"},
                                      {"comprehensiveness"},
                                      {"sufficiency"},
                                      {"log_odds"},
                                      {"sensitivity_n"},
                                      {"infidelity"},
                                      {"token_f1", {{"k", "2"}}},
                                      {"iou_f1"},
                                      {"auprc"}},
                          .resamples = 500};
  for (std::uint64_t i = 0; i < 60; ++i) request.examples.push_back(random_example(i));
  const EvaluateReport report = evaluate_examples(explainer, request, {});
  for (std::size_t k = 0; k < report.metrics.size(); ++k) {
    const EvaluationCell &mine = report.cells[3 * k], &random = report.cells[3 * k + 2];
    EXPECT_LT(mine.low, random.high) << mine.metric;
    EXPECT_LT(random.low, mine.high) << mine.metric;
  }
  for (const EvaluationPair& pair : report.pairs) {
    if (pair.second != "random") continue;
    const bool of_people = pair.metric == "token_f1" || pair.metric == "iou_f1" || pair.metric == "auprc";
    if (pair.first == "saliency") {
      EXPECT_GT(pair.p, .01) << pair.metric;
    } else if (of_people) {
      EXPECT_LT(pair.adjusted, 1e-6) << pair.metric << ": it names what was marked";
    }
  }
  // Two of nine words taken blindly: 2/9 of them are marked.
  const std::span blind = std::span(report.cells).subspan(std::size_t{3} * 7);
  EXPECT_NEAR(blind[0].value, 2.0 / 9, .08);
  EXPECT_NEAR(blind[2].value, 2.0 / 9, .08);
  EXPECT_EQ(blind[1].value, 1);
}

}  // namespace
}  // namespace headwater
