// Windows by hand: a tokenizer that splits at spaces, twelve positions, of which two are special tokens, and
// an explainer that scores the n-th word of a window n/10.
#include "result/text_windows.h"

#include <gtest/gtest.h>
#include <headwater/engine.h>
#include <headwater/error.h>

#include "evaluation/run/evaluate.h"
#include "support/fakes.h"
#include "support/shipped_engines.h"

namespace headwater {
namespace {

using testing::Fixture;
using testing::make_fixture;

std::string words(int count) {  // of three letters: word n begins at byte 4 n
  std::string text;
  for (int n = 0; n < count; ++n) text += n == 0 ? "not" : n % 2 == 0 ? " not" : " bad";
  return text;
}

using Spans = std::vector<std::pair<Index, Index>>;

Spans texts_of(const std::vector<TextWindow>& windows) {
  Spans spans;
  for (const TextWindow& window : windows) spans.emplace_back(window.text.begin, window.text.end);
  return spans;
}

Spans kept_of(const std::vector<TextWindow>& windows) {
  Spans spans;
  for (const TextWindow& window : windows) spans.emplace_back(window.kept.begin, window.kept.end);
  return spans;
}

TEST(EvaluationWindows, AreFullAndKeepTheirHalves) {
  const Fixture fixture = make_fixture(Task::TextClassification);
  const auto cut = [&](const std::string& text, int overlap) {
    return windows_of(fixture.loaded, {.text = text}, overlap);
  };
  EXPECT_EQ(texts_of(cut(words(10), 2)), (Spans{{0, 39}})) << "it fits";
  EXPECT_EQ(texts_of(windows_of(fixture.loaded, {.text = words(30)}, {})), (Spans{{0, 119}}))
      << "not asked for";
  // Sixteen words: 0–9, and 6–15 because the last window is full; the cut is at word 8, the space goes with
  // it.
  EXPECT_EQ(texts_of(cut(words(16), 2)), (Spans{{0, 39}, {23, 63}}));
  EXPECT_EQ(kept_of(cut(words(16), 2)), (Spans{{0, 31}, {31, 63}}));
  // Without overlap: 0–9, 10–19, 20–29.
  EXPECT_EQ(texts_of(cut(words(30), 0)), (Spans{{0, 39}, {39, 79}, {79, 119}}));
  EXPECT_EQ(kept_of(cut(words(30), 0)), texts_of(cut(words(30), 0)));
}

TEST(EvaluationWindows, NeverCutAWord) {
  const Fixture fixture = make_fixture(Task::TextClassification);
  // The tenth and eleventh token are one word, which the second window has.
  const auto windows = windows_of(fixture.loaded, {.text = words(9) + " un-able" + words(9)}, 0);
  EXPECT_EQ(windows.front().text.end, 35);
  std::string longest = "un";
  for (int n = 0; n < 10; ++n) longest += "-able";
  EXPECT_THROW(windows_of(fixture.loaded, {.text = longest}, 0), InputError);
}

TEST(EvaluationWindows, RefuseWhatMeansNothing) {
  const Fixture fixture = make_fixture(Task::TextClassification);
  for (const int overlap : {-1, 10, 11})
    EXPECT_THROW(windows_of(fixture.loaded, {.text = words(20)}, overlap), InputError) << overlap;
  EXPECT_THROW(windows_of(fixture.loaded, {.text = words(20), .pair = "not"}, 2), Unsupported);
  EvaluateRequest request{.examples = {{.input = {.text = "fun"}}},
                          .methods = {{"saliency"}},
                          .metrics = {{"deletion"}},
                          .overlap = 8};
  EXPECT_THROW(testing::sentiment().evaluate(request), Unsupported) << "changes its input";
  request.metrics = {{"class_sensitivity"}};
  EXPECT_THROW(testing::sentiment().evaluate(request), Unsupported) << "explains it again";
}

// The first window is taken for label 0 with 0.6, the second with 0.3; so the whole is of label 1.
Report counted(const LoadedModel& loaded, const Request& request) {
  Report report{.model = loaded.info()};
  const Prepared prepared = prepare(loaded, request.input);
  const InputUnits units = units_of(loaded.info(), prepared);
  report.prediction.sequences = units.sequences;
  report.prediction.units = units.all;
  const double first = request.input.text.starts_with(" ") ? .3 : .6;
  report.prediction.outcomes = {
      {.top = {{.index = 0, .probability = first}, {.index = 1, .probability = 1 - first}}}};
  for (const MethodSpec& method : request.methods) {
    EXPECT_EQ(request.target.label, "1");
    Attribution made{.method = method.name};
    std::vector<double> scores;
    for (std::size_t t = 0; t < units.all.size(); ++t) scores.push_back(static_cast<double>(t) / 10);
    made.scores() = Tensor::of({static_cast<Index>(scores.size())}, scores);
    made.axes() = {Axis::Units};
    report.attributions.push_back(made);
  }
  return report;
}

TEST(EvaluationWindows, RationalesOverTheWholeByHand) {
  // Scores: words 0–7 have 0.1 … 0.8 from the first window, words 8–15 0.3 … 1.0 from the second. Marked: the
  // words 7 and 15. By falling scores: 15, 14, then 7 and 13 alike.
  const Fixture fixture = make_fixture(Task::TextClassification);
  const Explainer explainer{.loaded = fixture.loaded,
                            .explain = [](const LoadedModel& with, const Request& request,
                                          const Target*) { return counted(with, request); },
                            .planned = [](const Request&) { return std::size_t{0}; }};
  EvaluateRequest request{
      .examples = {{.input = Input{.text = words(16)}, .annotated = true, .evidence = {{28, 31}, {60, 63}}}},
      .methods = {{"saliency"}},
      .metrics = {{"token_f1", {{"k", "1,2,3"}}}, {"iou_f1"}, {"auprc"}},
      .overlap = 2};
  const EvaluateReport report = evaluate_examples(explainer, request, {});
  // F1: 2·1/(1 + 2), 2·1/(2 + 2), 2·2/(3 + 2).
  EXPECT_NEAR(report.cells[0].curve[0], 2.0 / 3, 1e-15);
  EXPECT_NEAR(report.cells[0].curve[1], .5, 1e-15);
  EXPECT_NEAR(report.cells[0].curve[2], .8, 1e-15);
  // The span 14–15 covers half of itself with 15: precision 1, recall ½.
  EXPECT_NEAR(report.cells[2].value, 2.0 / 3, 1e-15);
  // (R, P): (0, 1), (½, 1), (½, ½), (1, ½).
  EXPECT_NEAR(report.cells[4].value, .75, 1e-15);
}

TEST(EvaluationWindows, ATextThatFitsIsAsWithoutThem) {
  EvaluateRequest request{.examples = {{.input = Input{.text = "the film is not bad at all"},
                                        .annotated = true,
                                        .evidence = {{12, 19}}}},
                          .methods = {{"saliency"}, {"attention_rollout"}},
                          .metrics = {{"token_f1"}, {"iou_f1"}, {"auprc"}, {"spearman_agreement"}}};
  const EvaluateReport plain = testing::sentiment().evaluate(request);
  request.overlap = 8;
  const EvaluateReport windows = testing::sentiment().evaluate(request);
  ASSERT_EQ(plain.cells.size(), windows.cells.size());
  for (std::size_t i = 0; i < plain.cells.size(); ++i)
    EXPECT_EQ(plain.cells[i].value, windows.cells[i].value) << plain.cells[i].metric;
}

TEST(EvaluationWindows, ALongTextIsReadToItsEnd) {
  // 400 words of one token; the one that people marked stands behind the model's 256 positions. All words are
  // taken that have a score: without windows that one is not among them.
  std::string text;
  for (int n = 0; n < 400; ++n) text += n == 390 ? "awful " : "the ";
  const Index marked = 4 * 390;
  EvaluateRequest request{.examples = {{.input = Input{.text = text, .truncate = true},
                                        .annotated = true,
                                        .evidence = {{marked, marked + 5}}}},
                          .methods = {{"saliency"}},
                          .metrics = {{"token_f1", {{"k", "400"}}}}};
  EXPECT_EQ(testing::sentiment().evaluate(request).cells[0].value, 0);
  request.examples[0].input.truncate = false;
  request.overlap = 32;
  EXPECT_NEAR(testing::sentiment().evaluate(request).cells[0].value, 2.0 / (400 + 1), 1e-15);
}

}  // namespace
}  // namespace headwater
