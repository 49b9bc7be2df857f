// What a bounded time leaves of a result, and what a result says that would pass where it does not.
#include "engine/budget.h"

#include <cmath>
#include <regex>

#include <gtest/gtest.h>
#include <headwater/engine.h>

#include "support/shipped_engines.h"

namespace headwater {
namespace {

using testing::sentiment;

Request integrated(const std::string& text, std::map<std::string, std::string> options) {
  Request request{.input = {.text = text}};
  request.methods = {{.name = "integrated_gradients", .options = std::move(options)}};
  return request;
}

std::string notes_of(const Attribution& result) {
  std::string all;
  for (const std::string& note : result.notes) all += note + "\n";
  return all;
}

// The number that a note names in this place, or nothing.
std::string said(const Attribution& result, const std::string& pattern) {
  std::smatch found;
  const std::string notes = notes_of(result);
  return std::regex_search(notes, found, std::regex(pattern)) ? found[1].str() : "";
}

bool passes(const Attribution& result) {
  for (const Check& check : result.checks)
    if (!check.passed) return false;
  return true;
}

constexpr const char* texts[] = {"not bad at all", "The plot is thin, but the actors are good.",
                                 "a charming and often affecting journey"};

TEST(Budget, NodesThatATimeAllowedGiveTheSameBitsAgain) {
  for (const double budget : {1e-9, 2e-3, 5e-3, 60.0}) {
    Request request = integrated(texts[1], {{"tolerance", "1e-4"}});
    request.budget = budget;
    const Report bounded = sentiment().explain(request);
    EXPECT_EQ(bounded.asked.budget, 0);
    const Report again = sentiment().explain(bounded.asked);
    const Attribution &first = bounded.attributions.front(), &second = again.attributions.front();
    EXPECT_EQ(first.scores().to_doubles(), second.scores().to_doubles()) << budget;
    EXPECT_EQ(first.options, second.options) << budget;
    EXPECT_EQ(first.checks[1].value, second.checks[1].value) << budget;
  }
}

TEST(Budget, NextToNoTimeSaysHowFarItCameAndWhatWouldPass) {
  Request request = integrated(texts[0], {});
  request.budget = 1e-9;
  const Report report = sentiment().explain(request);
  const Attribution& result = report.attributions.front();
  EXPECT_EQ(report.asked.methods.front().options.at("max_steps"), "7");
  EXPECT_FALSE(passes(result)) << "seven nodes are not enough for this text";
  const std::string tolerance = said(result, "tolerance=([0-9.e-]+) would pass");
  ASSERT_FALSE(tolerance.empty()) << notes_of(result);
  EXPECT_NE(notes_of(result).find("budget"), std::string::npos);
  request.methods.front().options["tolerance"] = tolerance;
  EXPECT_TRUE(passes(sentiment().explain(request).attributions.front())) << tolerance;
}

TEST(Budget, EnoughTimeIsAsGoodAsNoBound) {
  Request request = integrated(texts[2], {});
  const Report plain = sentiment().explain(request);
  request.budget = 600;
  const Report bounded = sentiment().explain(request);
  EXPECT_EQ(plain.attributions.front().scores().to_doubles(),
            bounded.attributions.front().scores().to_doubles());
  EXPECT_TRUE(passes(bounded.attributions.front()));
}

// Others run before it, and stand where they were asked for.
TEST(Budget, MethodsKeepTheirOrderAndTheExactRunItsSteps) {
  Request request = integrated(texts[0], {});
  request.methods.push_back({.name = "saliency"});
  request.budget = 1e-9;
  request.verify = true;
  std::vector<std::string> first;
  request.partial = [&](const Report& report) { first.push_back(report.attributions.front().method); };
  const Report report = sentiment().explain(request);
  ASSERT_EQ(report.attributions.size(), 2U);
  EXPECT_EQ(report.attributions[0].method, "integrated_gradients");
  EXPECT_EQ(report.attributions[1].method, "saliency");
  EXPECT_EQ(first, std::vector<std::string>{"saliency"});
  const Check& exact = report.attributions[0].checks.back();
  EXPECT_LT(exact.value, 1e-3) << exact.name << ": the same nodes in float64";
}

// A fixed number of steps that misses its own check names a number and a tolerance that do not.
TEST(FixedSteps, SayWhatWouldPass) {
  int missed = 0, named = 0;
  for (const char* text : texts)
    for (const char* rule : {"gauss", "midpoint", "trapezoid", "left", "right"})
      for (const char* steps : {"3", "6", "9"}) {
        const Attribution result =
            sentiment().explain(integrated(text, {{"steps", steps}, {"rule", rule}})).attributions.front();
        if (passes(result)) continue;
        ++missed;
        const std::string where = std::string(text) + ", " + rule + " " + steps + ": " + notes_of(result);
        const std::string tolerance = said(result, "tolerance=([0-9.e-]+) would pass");
        ASSERT_FALSE(tolerance.empty()) << where;
        EXPECT_TRUE(passes(
            sentiment()
                .explain(integrated(text, {{"steps", steps}, {"rule", rule}, {"tolerance", tolerance}}))
                .attributions.front()))
            << where;
        const std::string enough = said(result, "About ([0-9]+) steps would reach");
        if (enough.empty()) continue;
        ++named;
        EXPECT_TRUE(passes(
            sentiment().explain(integrated(text, {{"steps", enough}, {"rule", rule}})).attributions.front()))
            << where;
      }
  EXPECT_GT(missed, 20);
  EXPECT_GT(named, missed / 2);
}

}  // namespace
}  // namespace headwater
