#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "base/encoding.h"
#include "base/json.h"
#include "base/strings.h"
#include "page/assets.h"
#include "page/template.h"
#include "support/sample_report.h"
#include "support/text_search.h"

namespace headwater {
namespace {

using testing::count;

std::string between(const std::string& text, const std::string& open, const std::string& close) {
  const std::size_t begin = text.find(open);
  if (begin == std::string::npos) return {};
  const std::size_t from = begin + open.size();
  return text.substr(from, text.find(close, from) - from);
}

const std::string data_opens = "<script type=\"application/json\" id=\"report\">";

TEST(Base64, MatchesRfc4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe"), "//4=");
  EXPECT_EQ(sha256_base64("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

TEST(HalfBits, RoundsToNearestEven) {
  EXPECT_EQ(half_bits(0.0F), 0x0000);
  EXPECT_EQ(half_bits(-0.0F), 0x8000);
  EXPECT_EQ(half_bits(1.0F), 0x3c00);
  EXPECT_EQ(half_bits(-2.0F), 0xc000);
  EXPECT_EQ(half_bits(65504.0F), 0x7bff);
  EXPECT_EQ(half_bits(65520.0F), 0x7c00);
  EXPECT_EQ(half_bits(0x1p-14F), 0x0400);
  EXPECT_EQ(half_bits(0x1p-24F), 0x0001);
  EXPECT_EQ(half_bits(0x1p-25F), 0x0000);  // a tie, to even
  EXPECT_EQ(half_bits(1.0F + 0x1p-11F), 0x3c00);
  EXPECT_EQ(half_bits(1.0F + 3 * 0x1p-11F), 0x3c02);
  EXPECT_EQ(half_bits(std::nextafter(2.0F, 0.0F)), 0x4000);  // carries into the exponent
  EXPECT_EQ(half_bits(0.0999755859375F), 0x2e66);
  EXPECT_EQ(half_bits(std::numeric_limits<float>::quiet_NaN()) & 0x7c00, 0x7c00);
  EXPECT_NE(half_bits(std::numeric_limits<float>::quiet_NaN()) & 0x03ff, 0);
}

TEST(Page, TextCannotLeaveItsPlace) {
  EXPECT_EQ(html_escaped("<a b='c' d=\"e\">&"), "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;");
  EXPECT_EQ(script_safe("\"</script><!--&\xe2\x80\xa8\xe2\x80\xa9é\""),
            "\"\\u003c/script\\u003e\\u003c!--\\u0026\\u2028\\u2029é\"");
  EXPECT_EQ(shell_quoted("sentiment"), "sentiment");
  EXPECT_EQ(shell_quoted("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(shell_quoted(""), "''");
}

TEST(Page, IsFilledInOnePass) {
  EXPECT_EQ(filled("<{{a}}|{{b}}>", {{"a", "{{b}}"}, {"b", "x"}}), "<{{b}}|x>");
  EXPECT_EQ(filled("{{ open", {}), "{{ open");
  EXPECT_THROW(filled("{{c}}", {}), InternalError);
}

TEST(Html, IsOneFileThatAsksForNothing) {
  const std::string html = to_html(testing::text_report());
  EXPECT_TRUE(html.starts_with("<!doctype html>\n<html lang=\"en\">"));
  EXPECT_NE(html.find("<title>POSITIVE 90.0 % – headwater</title>"), std::string::npos);
  EXPECT_EQ(html.find("http://"), std::string::npos);
  EXPECT_EQ(html.find("https://"), std::string::npos);
  EXPECT_EQ(html.find(" src="), std::string::npos);
  EXPECT_EQ(html.find("@import"), std::string::npos);
  EXPECT_EQ(html.find("url("), std::string::npos);
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
}

TEST(Html, ThePolicyAllowsExactlyThisStyleAndScript) {
  const std::string html = to_html(testing::text_report());
  const std::string script = between(html, "<script>", "</script>");
  ASSERT_GT(script.size(), 10000U) << "the page's script is embedded";
  EXPECT_NE(html.find("script-src 'sha256-" + sha256_base64(script) + "'"), std::string::npos);
  EXPECT_NE(html.find("style-src 'sha256-" + sha256_base64(between(html, "<style>", "</style>")) + "'"),
            std::string::npos);
  EXPECT_TRUE(page_asset("no such file").empty());
}

TEST(Html, DataReadsBack) {
  const Report report = testing::text_report();
  const std::string html = to_html(report);
  const Json data = parse_json(between(html, data_opens, "</script>"), "page");
  EXPECT_EQ(data["tokens"].size(), 5U);
  EXPECT_EQ(data["focus"], 0);
  EXPECT_EQ(data["record"]["weights_sha256"], std::string(64, 'a'));
  EXPECT_FALSE(data["attributions"][0]["card"]["formula"].get<std::string>().empty());
  const Tensor& scores = report.attributions[1].scores();
  const std::string_view raw(reinterpret_cast<const char*>(scores.data<float>()), scores.bytes());
  EXPECT_EQ(between(html, "id=\"scores-1\" data-format=\"f32\">", "</script>"), base64(raw));
}

TEST(Html, SeveralTargetsOfOneTextAreOnePage) {
  const auto aimed = [](const std::string& label, double sign) {
    Report report = testing::text_report();
    report.target.label = label;
    report.attributions.resize(1);  // attention: the same for every target
    report.attributions.push_back(
        {.method = "integrated_gradients",
         .traits = {.of_target = true},
         .maps = {{.axes = {Axis::Units},
                   .values = Tensor::of({5}, std::vector<double>{0, sign, -0.5 * sign, 0.25, 0},
                                        DType::Float32)}}});
    return report;
  };
  std::vector<Report> reports{aimed("POSITIVE", 1), aimed("NEGATIVE", -1)};
  const std::string html = to_html(reports);
  const Json data = parse_json(between(html, data_opens, "</script>"), "page");
  ASSERT_EQ(data["others"].size(), 1U);
  EXPECT_EQ(data["target"]["label"], "POSITIVE");
  EXPECT_EQ(data["others"][0]["target"]["label"], "NEGATIVE");
  const Json &first = data["attributions"], &second = data["others"][0]["attributions"];
  EXPECT_EQ(first[0]["scores"], second[0]["scores"]) << "what knows no class is there once";
  EXPECT_NE(first[1]["scores"], second[1]["scores"]);
  EXPECT_EQ(count(html, "id=\"scores-"), 3U);
  EXPECT_EQ(first[0]["traits"]["of_target"], false);
  EXPECT_EQ(first[1]["traits"]["of_target"], true);
  reports[1].text = "another";
  EXPECT_THROW(to_html(reports), InputError);
}

TEST(Html, HostileTextStaysText) {
  const std::string hostile =
      "</script><script>alert(1)</script><!-- {{script}} \"'\xe2\x80\xa8 <img src=x onerror=alert(1)>";
  Report report = testing::text_report();
  const std::size_t scripts = count(to_html(report), "<script");
  report.text = report.pair = hostile;
  report.record.model = hostile;
  report.target.label = hostile;
  report.attributions[0].notes = {hostile};
  report.prediction.outcomes[0].top[0].label = hostile;
  report.prediction.units[1].text = report.prediction.units[1].piece = hostile;
  const std::string html = to_html(report);
  EXPECT_EQ(count(html, "<script"), scripts);
  EXPECT_EQ(count(html, "<img"), 0U);
  EXPECT_EQ(count(html, "</script>"), scripts);
  const Json data = parse_json(between(html, data_opens, "</script>"), "page");
  EXPECT_EQ(data["input"]["text"], hostile);
  EXPECT_EQ(data["tokens"][1]["text"], hostile);
}

TEST(Html, PicturesAreEmbedded) {
  const Json data = parse_json(between(to_html(testing::image_report()), data_opens, "</script>"), "page");
  EXPECT_EQ(data["picture"], "data:image/png;base64," + base64(testing::image_report().picture));
}

TEST(Html, LargeMapsAreWrittenAsHalvesAndVeryLargeOnesAveraged) {
  Report report = testing::text_report();
  report.attributions.resize(1);
  report.attributions[0].scores() = Tensor::full({1, 2, 400, 400}, DType::Float32, 0.5);
  EXPECT_NE(to_html(report).find("data-format=\"f16\""), std::string::npos);
  report.attributions[0].scores() = Tensor::full({1, 13, 1000, 1000}, DType::Float32, 0.25);
  const std::string html = to_html(report);
  const Json data = parse_json(between(html, data_opens, "</script>"), "page");
  EXPECT_EQ(data["attributions"][0]["shape"], (std::vector<int>{1, 1000, 1000}));
  EXPECT_NE(data["attributions"][0]["embedded"].get<std::string>().find("mean over heads"),
            std::string::npos);
}

TEST(Html, WorksWithoutMethodsAndForEveryTask) {
  Report report = testing::causal_report();
  report.attributions.clear();
  EXPECT_NE(to_html(report).find("<title>next token “time” 75.0 % – headwater</title>"), std::string::npos);
  Report bare = testing::text_report();
  bare.prediction.outcomes.clear();
  EXPECT_NE(to_html(bare).find("<title>POSITIVE 90.0 % –"), std::string::npos) << "the target's";
  bare.target = {};
  EXPECT_NE(to_html(bare).find("<title>BertForSequenceClassification –"), std::string::npos);
}

}  // namespace
}  // namespace headwater
