// What the command says; that it repeats the report is tests/repeat/check.py's.
#include <gtest/gtest.h>
#include <headwater/formats.h>

#include "support/sample_report.h"

namespace headwater {
namespace {

TEST(ReproduceCommand, SpellsOutTheRun) {
  Report report = testing::text_report();
  EXPECT_EQ(
      reproduce_command(report),
      "headwater explain -m sentiment --method attention,attention_rollout --target POSITIVE -- 'not bad!'");
  report.asked.methods[1].options = {{"residual", "0.75"}, {"fusion", "mean"}};
  EXPECT_EQ(reproduce_command(report),
            "headwater explain -m sentiment --method attention,attention_rollout --option residual=0.75 "
            "--target POSITIVE -- 'not bad!'")
      << "a default needs no word";
  report.record.dtype = "float64";
  report.record.commit = "abc";
  report.record.cache_dir = "my cache";
  report.asked.methods.clear();
  report.asked.input.pair = "-so";
  report.asked.input.truncate = report.asked.input.spaced = true;
  report.asked.target.contrast = "NEGATIVE";
  report.asked.target.position = 3;
  report.asked.view = {.unit = View::Unit::Word, .special = View::Special::Drop};
  report.asked.verify = true;
  EXPECT_EQ(reproduce_command(report),
            "headwater explain -m sentiment --revision abc --cache-dir 'my cache' --dtype float64 --target "
            "POSITIVE --contrast NEGATIVE --position 3 --words --special drop --verify --truncate --spaced "
            "--pair=-so -- 'not bad!'");
  EXPECT_EQ(reproduce_command(testing::image_report()),
            "headwater explain -m sentiment --method attention,attention_rollout --target cat --image "
            "cat.png");
}

TEST(ReproduceCommand, OptionsOfOneMethodCarryItsName) {
  Report report = testing::causal_report();
  report.asked.methods = {{.name = "occlusion", .options = {{"quantity", "probability"}}},
                          {.name = "lime", .options = {{"quantity", "probability"}}},
                          {.name = "attention", .options = {}, .aggregate = "rollout"}};
  EXPECT_EQ(reproduce_command(report),
            "headwater explain -m sentiment --method occlusion,lime,attention --aggregate rollout --option "
            "quantity=probability --target '#931' -- 'Once upon a'");
  report.asked.methods[1].options.clear();
  report.asked.methods.push_back({.name = "alti"});
  EXPECT_EQ(reproduce_command(report),
            "headwater explain -m sentiment --method occlusion,lime,attention,alti --aggregate "
            "attention=rollout --option occlusion.quantity=probability --target '#931' -- 'Once upon a'");
  report.asked.methods = {{.name = "attention"}, {.name = "attention", .options = {}, .aggregate = "flow"}};
  EXPECT_EQ(reproduce_command(report),
            "headwater explain -m sentiment --method attention --target '#931' -- 'Once upon a'\n"
            "headwater explain -m sentiment --method attention --aggregate flow --target '#931' -- 'Once "
            "upon a'");
}

TEST(ReproduceCommand, SeveralTargetsAreOneCommand) {
  std::vector<Report> reports(2, testing::text_report());
  reports[1].asked.target.label = "NEGATIVE";
  EXPECT_EQ(reproduce_command(reports),
            "headwater explain -m sentiment --method attention,attention_rollout --target POSITIVE --target "
            "NEGATIVE -- 'not bad!'");
  reports[1].asked.target.position = 2;
  EXPECT_EQ(reproduce_command(reports), reproduce_command(reports[0]) + "\n" + reproduce_command(reports[1]));
}

}  // namespace
}  // namespace headwater
