#include "base/json.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <headwater/formats.h>

#include "files/schema.h"
#include "support/sample_report.h"

namespace headwater {
namespace {

TEST(ReportJson, LogitsOfAVocabularyAreLeftToArrays) {
  Report report = testing::text_report();
  report.prediction.outcomes[0].position = 2;
  EXPECT_FALSE(parse_json(to_json(report, -1), "report")["prediction"].contains("logits"));
}

TEST(ReportJson, ReadsBackToTheSameNumbers) {
  const Report report = testing::text_report();
  for (const int indent : {-1, 2}) {
    const Json json = parse_json(to_json(report, indent), "report");
    EXPECT_EQ(json["schema"], schema_name);
    EXPECT_EQ(json["input"]["text"], "not bad!");
    EXPECT_EQ(json["prediction"]["label"], "POSITIVE");
    EXPECT_EQ(json["prediction"]["probability"], 0.9);
    EXPECT_EQ(json["prediction"]["logits"], (std::vector<double>{-0.5, 1.25}));
    EXPECT_EQ(json["target"]["index"], 1);
    EXPECT_EQ(json["tokens"].size(), 5U);
    EXPECT_EQ(json["tokens"][2]["begin"], 4);
    ASSERT_EQ(json["attributions"].size(), 2U);
    const Json& attention = json["attributions"][0];
    EXPECT_EQ(attention["shape"], (std::vector<int>{2, 2, 5, 5}));
    EXPECT_EQ(attention["options"]["heads"], "all");
    const Tensor& scores = report.attributions[0].scores();
    for (Index i = 0; i < scores.size(); ++i) {
      const auto at = [&](Index step, Index length) { return static_cast<std::size_t>(i / step % length); };
      const Json& cell = attention["scores"][at(50, 2)][at(25, 2)][at(5, 5)][at(1, 5)];
      EXPECT_EQ(static_cast<float>(cell.get<double>()), scores.data<float>()[i]);
    }
    EXPECT_FALSE(json["attributions"][1]["checks"][0]["passed"].get<bool>());
  }
}

TEST(ReportJson, OneLineHasNoNewline) {
  EXPECT_EQ(to_json(testing::text_report(), -1).find('\n'), std::string::npos);
}

TEST(ReportJson, CarriesTheRunRecord) {
  const Json record = parse_json(to_json(testing::text_report(), -1), "report")["record"];
  EXPECT_EQ(record["version"], "0.1.0");
  EXPECT_EQ(record["weights_sha256"], std::string(64, 'a'));
  EXPECT_EQ(record["tokenizer_sha256"], std::string(64, 'b'));
  EXPECT_EQ(record["kernels"]["gemm"], "avx512");
  EXPECT_EQ(record["threads"], 2);
  EXPECT_EQ(parse_json(to_json(testing::text_report().record), "record")["dtype"], "float32");
}

TEST(ReportJson, MaskedCellsAreNull) {
  const Json json = parse_json(to_json(testing::causal_report()), "report");
  const Json& first = json["attributions"][0]["scores"][0][0];
  EXPECT_FALSE(first[0][0].is_null());
  EXPECT_TRUE(first[0][1].is_null());
  EXPECT_TRUE(first[1][2].is_null());
  EXPECT_FALSE(first[2][2].is_null());
  EXPECT_EQ(json["prediction"]["outcomes"][0]["position"], 2);
}

TEST(ReportJson, NumbersAreTheShortestOfTheirType) {
  std::string out;
  append_number(out, 0.1F);
  out += ' ';
  append_number(out, 0.1);
  out += ' ';
  append_number(out, std::numeric_limits<float>::quiet_NaN());
  out += ' ';
  append_number(out, std::numeric_limits<double>::infinity());
  EXPECT_EQ(out, "0.1 0.1 null null");
}

TEST(ReportJson, PredictionsHaveTokensOnRequestOnly) {
  const Prediction prediction = testing::text_report().prediction;
  EXPECT_FALSE(parse_json(to_json(prediction), "p").contains("tokens"));
  EXPECT_EQ(parse_json(to_json(prediction, {.tokens = true}), "p")["tokens"].size(), 5U);
  const Json json = parse_json(to_json(prediction), "p");
  EXPECT_EQ(json["scores"][1]["label"], "NEGATIVE");
}

TEST(ReportJson, OtherTasksSayWhatTheyHave) {
  Prediction answer{.task = Task::QuestionAnswering, .answer = Span{"bad", 2, 2, 0.5}};
  EXPECT_EQ(parse_json(to_json(answer), "p")["answer"]["text"], "bad");
  Prediction next = testing::causal_report().prediction;
  next.continuation = " time";
  next.continuation_ids = {931};
  next.truncated = true;
  const Json json = parse_json(to_json(next), "p");
  EXPECT_EQ(json["continuation_ids"][0], 931);
  EXPECT_TRUE(json["truncated"].get<bool>());
  Prediction bare{.hidden = Tensor::of({1, 2}, std::vector<double>{1, 2})};
  EXPECT_EQ(parse_json(to_json(bare), "p")["hidden"][0][1], 2);
  Prediction score{.task = Task::TextClassification};
  score.outcomes = {{.top = {{"score", 0, std::nan(""), 3.5}}}};
  EXPECT_TRUE(parse_json(to_json(score), "p")["probability"].is_null());
}

TEST(ReportJson, HostileTextStaysText) {
  Report report = testing::text_report();
  report.text = "\"},\n\\u0000 \xff";
  const Json json = parse_json(to_json(report), "report");
  EXPECT_EQ(json["input"]["text"], "\"},\n\\u0000 \xef\xbf\xbd");
}

}  // namespace
}  // namespace headwater
