#include "cli/method_options.h"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>
#include <headwater/error.h>

#include "cli/arguments.h"
#include "methods/method.h"
#include "prose/method_text.h"

namespace headwater {
namespace {

MethodFlags parsed_flags(std::vector<std::string> arguments) {
  MethodFlags flags;
  CLI::App app;
  Arguments declared(app);
  add_method_options(declared, flags);
  app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  return flags;
}

TEST(MethodFlags, OptionsGoToTheMethodsThatHaveThem) {
  const MethodFlags flags =
      parsed_flags({"--method", "attention,attention_rollout,attention", "--residual", "0.25"});
  flags.check();
  const std::vector<MethodSpec> specs = flags.specs({});
  ASSERT_EQ(specs.size(), 2U);
  EXPECT_EQ(specs[0].name, "attention");
  EXPECT_EQ(specs[0].options.count("residual"), 0U);
  EXPECT_EQ(specs[1].options.at("residual"), "0.25");
}

TEST(MethodFlags, AnOptionMayBeWrittenOut) {
  const MethodFlags flags =
      parsed_flags({"--method", "attention_rollout", "--option", "residual=0.1", "--option", "fusion=max"});
  flags.check();
  EXPECT_EQ(flags.specs({})[0].options,
            (std::map<std::string, std::string>{{"fusion", "max"}, {"residual", "0.1"}}));
}

TEST(MethodFlags, WhatIsSaidOfOneMethodGoesBeforeWhatIsSaidOfAll) {
  const MethodFlags flags = parsed_flags({"--method", "attention,alti,value_zeroing", "--aggregate",
                                          "rollout", "--aggregate", "alti=flow", "--option", "heads=all"});
  const std::vector<MethodSpec> specs = flags.specs({});
  ASSERT_EQ(specs.size(), 3U);
  EXPECT_EQ(specs[0].aggregate, "rollout");
  EXPECT_EQ(specs[1].aggregate, "flow");
  EXPECT_EQ(specs[2].aggregate, "rollout");
  EXPECT_EQ(specs[0].options.count("aggregate"), 0U) << "it is no option";
  const MethodFlags two = parsed_flags(
      {"--method", "occlusion,lime", "--quantity", "probability", "--option", "lime.quantity=logit"});
  EXPECT_EQ(two.specs({})[0].options.at("quantity"), "probability");
  EXPECT_EQ(two.specs({})[1].options.at("quantity"), "logit");
}

TEST(MethodFlags, WithoutANameTheModelChooses) {
  ModelInfo bare, classifier;
  classifier.task = Task::TextClassification;
  const MethodFlags flags = parsed_flags({});
  EXPECT_NO_THROW(flags.check());
  const auto names = [&](const ModelInfo& info) {
    std::vector<std::string> found;
    for (const MethodSpec& spec : flags.specs(info)) found.push_back(spec.name);
    return found;
  };
  EXPECT_NE(names(bare), names(classifier));
  EXPECT_THROW(parsed_flags({"--option", "nosuch=1"}).specs(classifier), InputError);
}

TEST(MethodFlags, RefusesWhatNoMethodHas) {
  EXPECT_THROW(parsed_flags({"--method", "nosuch"}).check(), InputError);
  EXPECT_THROW(parsed_flags({"--method", ""}).check(), InputError);
  EXPECT_THROW(parsed_flags({"--method", "attention", "--residual", "0.5"}).check(), InputError);
  EXPECT_THROW(parsed_flags({"--method", "attention_rollout", "--residual", "much"}).check(), InputError);
  EXPECT_THROW(parsed_flags({"--method", "attention_rollout", "--aggregate", "flow"}).check(), InputError);
  EXPECT_THROW(parsed_flags({"--method", "attention", "--option", "aggregate=flow"}).check(), InputError);
  EXPECT_THROW(parsed_flags({"--method", "attention", "--aggregate", "alti=flow"}).check(), InputError);
  EXPECT_THROW(parsed_flags({"--aggregate", "sum"}), InputError);
  EXPECT_THROW(parsed_flags({"--option", "residual"}), InputError);
  EXPECT_THROW(parsed_flags({"--option", "=1"}), InputError);
}

TEST(MethodText, EveryRecordIsPrinted) {
  const std::string table = methods_table();
  for (const Method* method : all_methods()) {
    EXPECT_NE(table.find(std::string(method->name)), std::string::npos);
    const std::string page = method_page(*method);
    for (const std::string_view part :
         {method->summary, method->formula, method->paper, method->cost, method->limits})
      EXPECT_NE(page.find(std::string(part)), std::string::npos) << part;
    for (const MethodOption& option : method->options)
      EXPECT_NE(page.find(std::string(option.help)), std::string::npos) << option.name;
    EXPECT_NE(methods_json().find(std::string(method->name)), std::string::npos);
  }
}

}  // namespace
}  // namespace headwater
