#include "prose/prediction_writer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "files/csv.h"
#include "result/sentence.h"

namespace headwater {
namespace {

Prediction classified(const std::string& label, double probability) {
  Prediction prediction;
  prediction.task = Task::TextClassification;
  prediction.outcomes = {
      {.position = -1, .top = {{.label = label, .index = 1, .probability = probability, .logit = 2}}}};
  prediction.logits = {0, 2};
  return prediction;
}

std::string as_it_is(const std::string& object) {
  return object + "\n";
}

std::string written(const PredictionWriter::Settings& settings, int count) {
  std::string text;
  PredictionWriter writer([&](std::string_view more) { text += more; }, settings);
  for (int i = 0; i < count; ++i)
    writer.write({.text = "a, \"b\""}, "bad", classified("good", 0.75), as_it_is);
  writer.end_list();
  return text;
}

TEST(PredictionWriter, JsonLinesAreOneObjectEach) {
  const std::string text = written({.format = "jsonl", .many = true}, 2);
  const std::size_t newline = text.find('\n');
  const auto first = nlohmann::json::parse(text.substr(0, newline));
  EXPECT_EQ(first["text"], "a, \"b\"");
  EXPECT_FALSE(first.contains("pair"));
  EXPECT_EQ(first["label"], "good");
  EXPECT_EQ(first["probability"], 0.75);
  EXPECT_EQ(first["logits"].size(), 2U);
  EXPECT_EQ(text.substr(newline + 1), text.substr(0, newline + 1));
}

TEST(PredictionWriter, JsonSaysWhatWasAsked) {
  const auto asked = [](const Input& input) {
    std::string text;
    PredictionWriter writer([&](std::string_view more) { text += more; }, {.format = "jsonl"});
    writer.write(input, "", classified("good", 0.75), as_it_is);
    return nlohmann::json::parse(text);
  };
  const auto pair = asked({.text = "a", .pair = "b"}), image = asked({.image = "cat.png"});
  EXPECT_EQ(pair["text"], "a");
  EXPECT_EQ(pair["pair"], "b");
  EXPECT_EQ(image["image"], "cat.png");
  EXPECT_FALSE(image.contains("text"));
}

TEST(PredictionWriter, JsonIsAnObjectOrAList) {
  EXPECT_TRUE(nlohmann::json::parse(written({.format = "json", .many = false}, 1)).is_object());
  EXPECT_EQ(nlohmann::json::parse(written({.format = "json", .many = true}, 3)).size(), 3U);
  EXPECT_EQ(nlohmann::json::parse(written({.format = "json", .many = true}, 0)).size(), 0U);
}

TEST(PredictionWriter, CsvQuotesWhatNeedsIt) {
  EXPECT_EQ(written({.format = "csv", .many = true}, 1),
            "input,text,position,label,probability,logit\n0,\"a, \"\"b\"\"\",,good,0.75,2\n");
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a\nb"), "\"a\nb\"");
}

TEST(PredictionWriter, LabelsOfTheFileHaveAColumn) {
  EXPECT_EQ(written({.format = "csv", .gold = true}, 1),
            "input,text,position,label,probability,logit,gold\n0,\"a, \"\"b\"\"\",,good,0.75,2,bad\n");
  EXPECT_EQ(written({.format = "text", .many = true, .gold = true}, 1), "good\t0.7500\tbad\ta, \"b\"\n");
}

TEST(PredictionWriter, JsonHasTheLabelOfTheFile) {
  EXPECT_EQ(nlohmann::json::parse(written({.format = "json", .many = true, .gold = true}, 2))[1]["gold"],
            "bad");
}

TEST(PredictionWriter, TextTakesOneLinePerInput) {
  EXPECT_EQ(written({.format = "text", .many = true}, 1), "good\t0.7500\ta, \"b\"\n");
}

TEST(PredictionWriter, TheHeadlineSuitsTheTask) {
  Prediction prediction;
  EXPECT_EQ(headline(prediction).label, "");
  prediction.answer = Span{.text = "Paris", .first_token = 3, .last_token = 3, .probability = 0.5};
  EXPECT_EQ(headline(prediction).label, "Paris");
  prediction.answer.reset();
  prediction.continuation = "there was";
  EXPECT_EQ(headline(prediction).label, "there was");
}

}  // namespace
}  // namespace headwater
