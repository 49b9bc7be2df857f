// What was written and read back is written the same again.
#include "files/report_reader.h"

#include <gtest/gtest.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "base/json.h"
#include "prose/evaluate_writer.h"
#include "support/sample_report.h"

namespace headwater {
namespace {

Json written(const Report& report) {
  Json json = parse_json(to_json(report), "report");
  json["record"].erase("command");  // made of the request, which a result does not hold
  return json;
}

TEST(ReportReader, GivesBackWhatWasWritten) {
  for (Report report : {testing::text_report(), testing::causal_report()}) {
    report.attributions.front().checks = {{"rows sum to 1", true, 1e-7, 1e-5}};
    report.agreement = {{"attention", "attention_rollout", {0.5, 1}, {0.25, 1}, 0.125, 0.5, 3}};
    const Json json = written(report);
    EXPECT_EQ(written(read_report(json, "report").report), json);
  }
}

TEST(ReportReader, PatchesComeFromTheModel) {
  Report report = testing::image_report();
  report.model.image_size = 8;
  report.model.patch_size = 4;
  report.model.prefix_tokens = 1;
  const Json json = written(report);
  const Report read = read_report(json, "report").report;
  EXPECT_EQ(written(read), json);
  ASSERT_EQ(read.prediction.units.size(), 5U);
  EXPECT_EQ(read.prediction.sequences.front().rows, 2);
  EXPECT_TRUE(read.prediction.units.front().special);
}

// A source and a prefix of as many tokens, with a map of each kind between them.
Report two_sequences() {
  Report report = testing::text_report();
  std::vector<Unit>& units = report.prediction.units;
  units.pop_back();
  units[2].sequence = units[3].sequence = 1;
  report.prediction.sequences = {{.name = "source", .first = 0, .count = 2},
                                 {.name = "prefix", .first = 2, .count = 2}};
  report.read = {{.sequence = 1, .row = 1}};
  const auto map = [](const char* name, int rows, int columns, double first) {
    return Map{.name = name,
               .axes = {Axis::Layer, {Axis::Query, rows}, {Axis::Key, columns}},
               .values = Tensor::of({1, 2, 2}, std::vector<double>{first, 2, 3, 4}, DType::Float32)};
  };
  report.attributions.resize(1);
  report.attributions[0].maps = {map("encoder", 0, 0, 1), map("decoder_to_source", 1, 0, 5),
                                 map("decoder_to_prefix", 1, 1, 6)};
  return report;
}

TEST(ReportReader, AxesKeepTheirSequence) {
  const Report report = two_sequences();
  const Json json = written(report);
  const Report read = read_report(json, "report").report;
  ASSERT_EQ(read.attributions[0].maps.size(), 3U);
  for (std::size_t m = 0; m < 3; ++m)
    EXPECT_EQ(read.attributions[0].maps[m].axes, report.attributions[0].maps[m].axes) << m;
  EXPECT_EQ(read.read, report.read);
  EXPECT_EQ(written(read), json);
}

// Version 0.1.0 wrote the names of axes alone, and not which rows were read.
TEST(ReportReader, AxesOfOldFilesGoByTheMapsName) {
  const Report report = two_sequences();
  Json json = written(report);
  json.erase("read");
  for (Json& map : json["attributions"][0]["maps"])
    for (Json& axis : map["axes"])
      if (axis.is_object()) axis = Json(axis["axis"]);
  const Report read = read_report(json, "report").report;
  for (std::size_t m = 0; m < 3; ++m)
    EXPECT_EQ(read.attributions[0].maps[m].axes, report.attributions[0].maps[m].axes) << m;
  EXPECT_EQ(read.read, (std::vector<Read>{{.sequence = 1, .row = 0}})) << "an encoder's first row";
}

TEST(ReportReader, SequencesThatAreNotThereAreRefused) {
  for (const int sequence : {-1, 2, 1 << 30}) {
    Json json = written(two_sequences());
    json["read"][0]["sequence"] = sequence;
    EXPECT_THROW(read_report(json, "report"), FormatError) << sequence;
    json = written(two_sequences());
    json["attributions"][0]["maps"][1]["axes"][1]["sequence"] = sequence;
    EXPECT_THROW(read_report(json, "report"), FormatError) << sequence;
    json = written(two_sequences());
    json["attributions"][0]["details"] = json["attributions"][0]["maps"];
    json["attributions"][0]["details"][1]["axes"][1]["sequence"] = sequence;
    EXPECT_THROW(read_report(json, "report"), FormatError) << sequence;
  }
  Json json = written(two_sequences());
  json["read"][0]["row"] = 2;
  EXPECT_THROW(read_report(json, "report"), FormatError);
}

TEST(ReportReader, WhatScoresAccountFor) {
  Report report = testing::text_report();
  report.attributions.front().accounted = {.sum = 0.02, .of = -1.75, .what = "the target's logit"};
  const Json json = written(report);
  EXPECT_NEAR(json["attributions"][0]["accounted"]["share"].get<double>(), -0.02 / 1.75, 1e-15);
  EXPECT_EQ(written(read_report(json, "report").report), json);
  EXPECT_NE(to_terminal(report, {.width = 200})
                .find("The scores add up to 0.02 of the target's logit of -1.75: -1.1 %."),
            std::string::npos)
      << to_terminal(report, {.width = 200});
}

TEST(ReportReader, HeadsCurvesAndEvaluations) {
  const HeadImportance ranking{
      .ranking = "attattr", .layers = 2, .heads = 3, .inputs = 7, .scores = {1, 2, 3, 4, 5, .5}};
  const std::string heads = heads_json({&ranking, 1}, "headwater heads");
  const auto read = read_heads(parse_json(heads, "heads"), "heads");
  EXPECT_EQ(heads_json(read.report, read.command), heads);

  const PruningReport pruning{.inputs = 4,
                              .curves = {{"attattr", "global", "least", {0, .5, 1}, {1, .75, .5}},
                                         {"random", "global", "random", {0, 1}, {1, .5}, {.9, .4}, {1, .6}}}};
  const std::string curves = curves_json(pruning, "headwater prune");
  const auto pruned = read_pruning(parse_json(curves, "curves"), "curves");
  EXPECT_EQ(curves_json(pruned.report, pruned.command), curves);

  EvaluateReport evaluation{
      .examples = 3, .left_out = 1, .methods = {"chefer", "random"}, .seed = 5, .resamples = 9, .level = .9};
  evaluation.metrics = {{"deletion", {{"steps", "5"}}, EvaluationMetric::Better::Lower, "share"}};
  evaluation.cells = {{"deletion", "chefer", .5, .25, .75, 3, {0, 1}, {1, .5}, {.5, .25}, {1, .75}},
                      {"deletion", "random", std::nan(""), std::nan(""), std::nan(""), 0}};
  evaluation.pairs = {{"deletion", "chefer", "random", .25, .5, 1, 3}};
  const std::string table = evaluate_json(evaluation, "headwater evaluate");
  const auto evaluated = read_evaluation(parse_json(table, "table"), "table");
  EXPECT_EQ(evaluate_json(evaluated.report, evaluated.command), table);
}

std::string refusal(const std::string& text) {
  try {
    read_report(parse_json(text, "a.json"), "a.json");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "taken";
}

TEST(ReportReader, SaysWhatIsWrong) {
  EXPECT_NE(refusal("[1]").find("a.json: expected \"schema\""), std::string::npos);
  EXPECT_NE(
      refusal(R"({"schema": "headwater.report/1"})").find("a.json: input: expected an object, found nothing"),
      std::string::npos);
  Json ragged = parse_json(to_json(testing::text_report()), "report");
  ragged["attributions"][0]["scores"][0][0][0].push_back(1);
  EXPECT_NE(refusal(ragged.dump()).find("expected lists of 6 as those before it, found one of 5"),
            std::string::npos);
  Json summary = parse_json(summary_json(testing::text_report()), "report");
  EXPECT_NE(refusal(summary.dump()).find("a summary has no numbers"), std::string::npos);
  Json huge = parse_json(to_json(testing::image_report()), "report");
  huge["model"].update({{"image_size", 1000000000}, {"patch_size", 1}, {"prefix_tokens", 1}});
  EXPECT_NE(refusal(huge.dump()).find("patches"), std::string::npos);
  Json wrong = parse_json(to_json(testing::text_report()), "report");
  wrong["tokens"][0]["id"] = "one";
  EXPECT_EQ(refusal(wrong.dump()), "a.json: tokens[0].id: expected a whole number, found a text");
  wrong = parse_json(to_json(testing::text_report()), "report");
  wrong["attributions"][0]["checks"] = {{{"name", "sum"}, {"passed", 1}}};
  EXPECT_EQ(refusal(wrong.dump()),
            "a.json: attributions[0].checks[0].passed: expected true or false, found a number");
  wrong["attributions"][0].erase("checks");
  EXPECT_EQ(refusal(wrong.dump()), "a.json: attributions[0].checks: expected a list, found nothing");
  wrong["model"]["task"] = "guessing";
  EXPECT_NE(refusal(wrong.dump()).find("a.json: model.task: expected one of text-classification, "),
            std::string::npos)
      << refusal(wrong.dump());
}

}  // namespace
}  // namespace headwater
