// The sentence, task by task; the expected ones are written by hand from the numbers beside them.
#include "result/sentence.h"

#include <cmath>

#include <gtest/gtest.h>
#include <headwater/formats.h>

#include "support/sample_report.h"

namespace headwater {
namespace {

const double no = std::nan("");

// "not bad!" with a score for each of [CLS] not bad ! [SEP].
Report scored(const std::string& method, const std::vector<double>& scores) {
  Report report = testing::text_report();
  report.attributions = {{.method = method, .maps = {{.axes = {Axis::Units}}}}};
  report.attributions[0].scores() = Tensor::of({5}, scores);
  testing::stamp(report);
  return report;
}

TEST(Sentence, SaysForAndAgainst) {
  EXPECT_EQ(sentence_of(scored("integrated_gradients", {9, 2.484, -1.2, .7, 9})),
            "POSITIVE 90.0 % because of not +2.48, “!” +0.70; against: bad −1.20"
            "; more than any word: [CLS] +9.00, [SEP] +9.00 (integrated_gradients)");
  EXPECT_EQ(sentence_of(scored("integrated_gradients", {9, 2, -.3, .2, 9})),
            "POSITIVE 90.0 % because of not +2.00"
            "; more than any word: [CLS] +9.00, [SEP] +9.00 (integrated_gradients)")
      << "what is under a quarter of the strongest is no reason";
  EXPECT_EQ(sentence_of(scored("integrated_gradients", {9, -2, .1, 0, 9})),
            "POSITIVE 90.0 % because of bad +0.10; against: not −2.00"
            "; more than any word: [CLS] +9.00, [SEP] +9.00 (integrated_gradients)")
      << "the strongest reason is always named";
  EXPECT_EQ(sentence_of(scored("chefer", {0, .03, .01, .002, 0})),
            "POSITIVE 90.0 %; strongest: not 0.030, bad 0.010 (chefer, unsigned)")
      << "without a sign nothing is a reason";
}

TEST(Sentence, NamesAWordWithoutTheMarkOfItsStart) {
  Report report = scored("integrated_gradients", {9, .5, 1, .25, 9});
  report.prediction.units[1].text = "▁";
  report.prediction.units[2].word = report.prediction.units[1].word;
  EXPECT_EQ(sentence_of(report),
            "POSITIVE 90.0 % because of bad +1.50; more than any word: [CLS] +9.00, [SEP] +9.00 "
            "(integrated_gradients)")
      << "½ + 1 for ▁ bad; ¼ is no reason";
}

TEST(Sentence, StaysTrueWhereThereIsLittleToSay) {
  EXPECT_EQ(sentence_of(scored("integrated_gradients", {0, -2, -.1, 0, 0})),
            "POSITIVE 90.0 %, though no word counts for it; against: not −2.00 (integrated_gradients)");
  EXPECT_EQ(sentence_of(scored("integrated_gradients", {0, 0, 0, 0, 0})),
            "POSITIVE 90.0 %; no word counts for it or against it (integrated_gradients)");
  EXPECT_EQ(sentence_of(scored("integrated_gradients", {0, .004, -.002, .001, 0})),
            "POSITIVE 90.0 %, hardly because of its words: not +0.0040, “!” +0.0010; against: bad −0.0020"
            " (integrated_gradients)")
      << "less than a hundredth of the logit 1.25";
  Report report = testing::text_report();
  report.attributions.clear();
  EXPECT_EQ(sentence_of(report), "POSITIVE 90.0 %");
  report.target.probability = 0.99999;
  EXPECT_EQ(sentence_of(report), "POSITIVE > 99.9 %");
  report.target.probability = no;
  EXPECT_EQ(sentence_of(report), "POSITIVE 1.25") << "a regression";
  report.target = {};
  EXPECT_EQ(sentence_of(report), "BertForSequenceClassification");
}

TEST(Sentence, BecauseIsSaidOfTheAnswerAlone) {
  Report report = scored("integrated_gradients", {0, -2, 1, .1, 0});
  report.target = {.index = 0, .label = "NEGATIVE", .logit = -.5, .probability = .1};
  EXPECT_EQ(sentence_of(report),
            "NEGATIVE 10.0 % (the answer is POSITIVE); for it: bad +1.00; against: not −2.00 "
            "(integrated_gradients)");
  report.target = {
      .index = 1, .label = "POSITIVE", .contrast = 0, .contrast_label = "NEGATIVE", .logit = 1.75};
  EXPECT_EQ(sentence_of(report),
            "POSITIVE rather than NEGATIVE (logit difference 1.75) because of bad +1.00; against: not −2.00 "
            "(integrated_gradients)");
  report.target = {
      .index = 0, .label = "NEGATIVE", .contrast = 1, .contrast_label = "POSITIVE", .logit = -1.75};
  EXPECT_EQ(sentence_of(report),
            "POSITIVE rather than NEGATIVE (logit difference 1.75); for POSITIVE: not −2.00; for NEGATIVE: "
            "bad +1.00 "
            "(integrated_gradients)")
      << "what the model says, whatever was asked for; the signs are those of the scores";
  report.target.logit = 0;
  EXPECT_TRUE(sentence_of(report).starts_with("NEGATIVE as much as POSITIVE (logit difference 0.00)"));
}

TEST(Sentence, LabelsThatDoNotExcludeEachOtherAreAnswersAbove50) {
  Report report = scored("integrated_gradients", {0, -2, 1, .1, 0});
  report.prediction.outcomes[0].top = {{"POSITIVE", 1, 0.9, 1.25}, {"NEGATIVE", 0, 0.8, 1}};
  report.target = {.index = 0, .label = "NEGATIVE", .logit = 1, .probability = .8};
  EXPECT_EQ(sentence_of(report),
            "NEGATIVE 80.0 % because of bad +1.00; against: not −2.00 (integrated_gradients)");
  report.prediction.outcomes[0].top[1].probability = report.target.probability = .3;
  EXPECT_EQ(sentence_of(report),
            "NEGATIVE 30.0 %; for it: bad +1.00; against: not −2.00 (integrated_gradients)");
}

TEST(Sentence, ANumberIsRaisedOrLowered) {
  Report report = scored("integrated_gradients", {0, -2, 1, .1, 0});
  report.target = {.label = "score", .logit = -.5, .probability = no};
  report.prediction.outcomes = {{.top = {{"score", 0, no, -.5}}}};
  EXPECT_EQ(sentence_of(report),
            "score −0.50: raised by bad +1.00; lowered by not −2.00 (integrated_gradients)");
}

TEST(Sentence, AMethodThatKnowsNoClassSaysSo) {
  Report report = scored("raw_attention", {.5, .3, .1, .05, .05});
  EXPECT_EQ(sentence_of(report),
            "POSITIVE 90.0 %; strongest: not 0.30, bad 0.10; more than any word: [CLS] 0.50 "
            "(raw_attention, same for every class)");
  report.attributions[0] = {.method = "value_zeroing",
                            .aggregate = "rollout",
                            .maps = {{.axes = {Axis::Layer, Axis::Query, Axis::Key}}}};
  report.attributions[0].scores() = Tensor::of({1, 5, 5}, std::vector<double>(25, .1));
  report.attributions[0].answer = Tensor::of({1, 5}, std::vector<double>{.5, .1, .3, .05, .05});
  report.answer_token = "[CLS]";
  EXPECT_EQ(sentence_of(report),
            "POSITIVE 90.0 %; [CLS] reads most from bad 0.30, not 0.10 (value_zeroing_rollout, same for "
            "every class)");
  report.answer_token = " not";
  EXPECT_TRUE(sentence_of(report).starts_with("POSITIVE 90.0 %; “not” reads most from bad 0.30"))
      << sentence_of(report);
  report.answer_token = "[CLS]";
  report.attributions.push_back({.method = "saliency", .maps = {{.axes = {Axis::Units}}}});
  report.attributions[1].scores() = Tensor::of({5}, std::vector<double>{9, 1, 3, 1, 9});
  testing::stamp(report);
  EXPECT_EQ(
      sentence_of(report),
      "POSITIVE 90.0 %; strongest: bad 3.00, not 1.00, “!” 1.00; more than any word: [CLS] 9.00, [SEP] 9.00 "
      "(saliency, unsigned)")
      << "another one does";
  EXPECT_TRUE(
      sentence_of(report, report.attributions[0]).ends_with("(value_zeroing_rollout, same for every class)"))
      << "every result has its own";
  report.attributions.pop_back();
  report.target = {};
  report.model.task = Task::FeatureExtraction;
  EXPECT_EQ(sentence_of(report), "[CLS] reads most from bad 0.30, not 0.10 (value_zeroing_rollout)");
}

// Of [CLS] not bad ! [SEP], the row of [CLS]: its own weight is no reading.
TEST(Sentence, SaysWhatOutweighsTheWords) {
  Report report = scored("attention", {0, 0, 0, 0, 0});
  report.attributions[0].maps = {{.axes = {Axis::Layer, Axis::Query, Axis::Key}}};
  report.attributions[0].scores() = Tensor::of({1, 5, 5}, std::vector<double>(25, .2));
  report.attributions[0].answer = Tensor::of({1, 5}, std::vector<double>{.3, .05, .1, .05, .5});
  report.answer_token = "[CLS]";
  EXPECT_EQ(
      sentence_of(report),
      "POSITIVE 90.0 %; [CLS] reads most from [SEP] 0.50, of the words from bad 0.10, not 0.05, “!” 0.05 "
      "(attention, same for every class)");
  EXPECT_EQ(sentence_of(scored("attn_lrp", {.5, 1, 0, 0, -3.22})),
            "POSITIVE 90.0 % because of not +1.00; more than any word: [SEP] −3.22 (attn_lrp)");
}

TEST(Sentence, NamesTheMethodThatRanksTheWordsOtherwise) {
  Report report = scored("integrated_gradients", {0, 2, 1, .1, 0});
  for (const char* other : {"attn_lrp", "saliency", "occlusion"})
    report.attributions.push_back(testing::stamped({.method = other, .maps = report.attributions[0].maps}));
  const auto agree = [](const char* other, double tau) {
    return Agreement{.first = "integrated_gradients", .second = other, .whole_kendall = tau};
  };
  const std::string words = "POSITIVE 90.0 % because of not +2.00, bad +1.00 (integrated_gradients";
  report.agreement = {agree("attn_lrp", .17), agree("saliency", -.9), agree("occlusion", .2)};
  EXPECT_EQ(sentence_of(report), words + "; attn_lrp ranks the words otherwise, τ 0.17)")
      << "the one that agrees least, of those with signs";
  report.agreement[0].whole_kendall = report.agreement[2].whole_kendall = .6;
  EXPECT_EQ(sentence_of(report), words + ")");
  EXPECT_EQ(sentence_of(report, report.attributions[1]),
            "POSITIVE 90.0 % because of not +2.00, bad +1.00 (attn_lrp)");
}

TEST(Sentence, NamesWordsNotPieces) {
  Report report = scored("occlusion", {0, 1, 2, -.9, 0});
  report.text = "unkind!";
  std::vector<Unit>& tokens = report.prediction.units;
  tokens[1] = {.id = 7, .piece = "un", .text = "un", .begin = 0, .end = 2, .word = 0};
  tokens[2] = {.id = 8, .piece = "##kind", .text = "kind", .begin = 2, .end = 6, .word = 0};
  EXPECT_EQ(sentence_of(report), "POSITIVE 90.0 % because of unkind +3.00; against: “!” −0.90 (occlusion)");
  report.attributions[0].measured = {false, true, true, false, false};
  EXPECT_EQ(sentence_of(report), "POSITIVE 90.0 % because of unkind +3.00 (occlusion)")
      << "what was not measured";
}

TEST(Sentence, FitsLanguageModels) {
  Report report = testing::causal_report();
  report.attributions = {testing::stamped({.method = "occlusion", .maps = {{.axes = {Axis::Units}}}})};
  report.attributions[0].scores() = Tensor::of({3}, std::vector<double>{.5, 2, 0});
  EXPECT_EQ(sentence_of(report), "next token “time” 75.0 % because of upon +2.00, Once +0.50 (occlusion)");
  report.target.position = 1;
  report.prediction.outcomes[0].position = 1;
  EXPECT_EQ(answer_of(report), "“time” 75.0 % after “upon”");
  report.target = {
      .position = 2, .index = 5, .label = " time was", .logit = -3, .probability = .05, .tokens = {5, 6}};
  EXPECT_EQ(sentence_of(report), "next tokens “time was” 5.0 %; for it: upon +2.00, Once +0.50 (occlusion)");
  report.model.task = Task::FillMask;
  report.prediction.units[1] = {.id = 4, .piece = "[MASK]", .text = "[MASK]", .special = true};
  report.target = {.position = 1, .index = 931, .label = "time", .logit = 9.5, .probability = .75};
  report.prediction.outcomes[0].position = 1;
  EXPECT_EQ(sentence_of(report),
            "“time” 75.0 % at [MASK] because of Once +0.50; more than any word: [MASK] +2.00 (occlusion)");
}

TEST(Sentence, FitsAnswersAndTokens) {
  Report report = scored("occlusion", {0, 1, 2, 0, 0});
  report.model.task = Task::QuestionAnswering;
  report.prediction.answer = Span{"bad", 2, 2, .5};
  report.target = {.position = 2, .label = "bad", .logit = 3, .probability = .5};
  report.target.span = {2, 2};
  EXPECT_EQ(sentence_of(report), "answer “bad” 50.0 % because of bad +2.00, not +1.00 (occlusion)");
  report.target.span = {1, 1};
  report.target.label = "not";
  EXPECT_EQ(sentence_of(report),
            "answer “not” 50.0 % (the answer is “bad”); for it: bad +2.00, not +1.00 (occlusion)");
  report.target = {.position = 2, .index = 0, .label = "start", .logit = 3, .probability = .6};
  EXPECT_EQ(answer_of(report), "answer's start 60.0 % at “bad”");
  report.model.task = Task::TokenClassification;
  report.target = {.position = 1, .index = 2, .label = "B-LOC", .logit = 3, .probability = .6};
  report.prediction.outcomes = {{.position = 1, .top = {{"B-LOC", 2, .6, 3}}}};
  EXPECT_EQ(answer_of(report), "“not” is B-LOC 60.0 %");
}

TEST(Sentence, SaysWhereInAPicture) {
  Report report = testing::image_report();
  report.attributions = {
      testing::stamped({.method = "chefer", .maps = {{.axes = {Axis::Row, Axis::Column}}}})};
  report.attributions[0].scores() = Tensor::of({2, 2}, std::vector<double>{6, 1, 1, 2});
  EXPECT_EQ(sentence_of(report),
            "cat 80.0 %; strongest: 60 % in the upper left, 20 % in the lower right (chefer, unsigned)");
  report.attributions[0].method = "integrated_gradients";
  report.attributions[0].axes() = {Axis::Units};
  report.attributions[0].scores() = Tensor::of({5}, std::vector<double>{0, 3, -1, 1, 0});
  testing::stamp(report);
  EXPECT_EQ(
      sentence_of(report),
      "cat 80.0 %; for it: 75 % in the upper left, 25 % in the lower left; against: 100 % in the upper right "
      "(integrated_gradients)");
  std::vector<double> even(82, 1.0);
  report.attributions[0].scores() = Tensor::of({82}, even);
  EXPECT_EQ(sentence_of(report), "cat 80.0 %; for it: spread over the whole picture (integrated_gradients)");
  report.attributions = {
      testing::stamped({.method = "attention_rollout",
                        .maps = {{.axes = {Axis::Query, Axis::Key},
                                  .values = Tensor::of({82, 82}, std::vector<double>(82 * 82, 1.0 / 82))}}})};
  EXPECT_EQ(sentence_of(report),
            "cat 80.0 %; [CLS] reads from the whole picture (attention_rollout, same for every class)");
  report.attributions = {
      testing::stamped({.method = "chefer", .maps = {{.axes = {Axis::Row, Axis::Column}}}})};
  report.attributions[0].scores() = Tensor::of({9, 9}, std::vector<double>(81, 1.0));
  EXPECT_EQ(sentence_of(report), "cat 80.0 %; spread over the whole picture (chefer, unsigned)");
}

TEST(Sentence, CannotSteerATerminal) {
  Report report = scored("occlusion", {0, 1, 2, 0, 0});
  report.prediction.units[2].text = "\x1b[2J";
  report.target.label = "\x1b]0;";
  EXPECT_EQ(sentence_of(report).find('\x1b'), std::string::npos);
  EXPECT_TRUE(to_terminal(report).starts_with(sentence_of(report).substr(0, 20)));
}

}  // namespace
}  // namespace headwater
