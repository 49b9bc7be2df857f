// Bilinear values by hand: with twice as many pixels as cells a pixel lies ¼ of a cell from its cell's
// middle, so between a and b stand a, ¾a + ¼b, ¼a + ¾b, b.
#include "drawing/overlay.h"

#include <cmath>

#include <gtest/gtest.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "base/json.h"
#include "numerics/rank_correlation.h"
#include "support/sample_report.h"

namespace headwater {
namespace {

using Values = std::vector<double>;

TEST(Bilinear, MatchesHandComputedValues) {
  EXPECT_EQ(bilinear(Values{0, 4}, {1, 2}, {1, 4}), (Values{0, 1, 3, 4}));
  EXPECT_EQ(bilinear(Values{0, 4}, {2, 1}, {4, 1}), (Values{0, 1, 3, 4}));
  EXPECT_EQ(bilinear(Values{0, 16, 32, 64}, {2, 2}, {4, 4}),
            (Values{0, 4, 12, 16,    // row 0
                    8, 13, 23, 28,   // ¾ of row 0, ¼ of row 1: columns of 0 … 16 and 32 … 64
                    24, 31, 45, 52,  //
                    32, 40, 56, 64}));
  // Three pixels per cell: middles at 1/6, 1/2, 5/6 of a cell, so that every second one is a cell's own.
  const Values thirds = bilinear(Values{0, 3}, {1, 2}, {1, 6});
  const Values expected{0, 0, 1, 2, 3, 3};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(thirds[i], expected[i], 1e-12) << i;
}

TEST(Bilinear, KeepsSizesAndConstants) {
  const Values grid{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(bilinear(grid, {2, 3}, {2, 3}), grid);
  EXPECT_EQ(bilinear(Values{7}, {1, 1}, {2, 2}), (Values{7, 7, 7, 7}));
}

Image grey(int side, std::uint8_t value) {
  return {side, side, std::vector<std::uint8_t>(static_cast<std::size_t>(3 * side * side), value)};
}

// By hand: the strongest patch covers 0.85 of the picture with the darkest blue {8, 46, 100}, one without
// weight 0.1 with the lightest {246, 250, 255}, half of it against 0.475 with the middle of the orange {236,
// 149, 88}.
TEST(Overlay, CoversThePictureByTheWeight) {
  const auto pixel = [](const Image& image, std::size_t p) {
    return std::vector<int>{image.rgb[3 * p], image.rgb[3 * p + 1], image.rgb[3 * p + 2]};
  };
  const Image over = overlay(grey(2, 100), Values{0, 2, -1, 2}, 1);
  ASSERT_EQ(over.width, 2);
  EXPECT_EQ(pixel(over, 0), (std::vector<int>{115, 115, 116}));  // 0.1 · 246 + 0.9 · 100 = 114.6, …
  EXPECT_EQ(pixel(over, 1), (std::vector<int>{22, 54, 100}));    // 0.85 · 8 + 15 = 21.8, …
  EXPECT_EQ(pixel(over, 2), (std::vector<int>{165, 123, 94}));   // 0.475 · 236 + 52.5 = 164.6, …
  // A red pixel's luma is 0.2126 · 200 = 42.52: 0.65 of that and 0.35 of its own colour are left.
  const Image red = overlay({1, 1, {200, 0, 0}}, Values{0}, 1);
  EXPECT_EQ(pixel(red, 0), (std::vector<int>{112, 50, 50}));  // 0.9 · 97.6 + 24.6, 0.9 · 27.6 + 25, …
  EXPECT_EQ(overlay(grey(2, 100), Values{0, 1, 0, 1}, 3).width, 6);
}

TEST(Overlay, PanelsAreLargeEnoughToSee) {
  EXPECT_EQ(panel_scale(grey(32, 0)), 10);
  EXPECT_EQ(panel_scale(grey(224, 0)), 2);
  EXPECT_EQ(panel_scale(grey(384, 0)), 1);
}

TEST(Correlation, IsPearsons) {
  EXPECT_NEAR(pearson(Values{1, 2, 3}, Values{2, 4, 6}), 1, 1e-12);
  EXPECT_NEAR(pearson(Values{1, 2, 3}, Values{3, 2, 1}), -1, 1e-12);
  EXPECT_NEAR(pearson(Values{1, 2, 3, 4}, Values{1, 3, 2, 4}), 0.8, 1e-12);
  EXPECT_TRUE(std::isnan(pearson(Values{1, 1}, Values{1, 2})));
}

// 8 × 8 pixels in patches of 4: the sample report with a real picture.
Report picture_report(const std::string& label) {
  Report report = testing::image_report();
  report.picture = encode_png(grey(8, 50));
  report.target.label = label;
  return report;
}

TEST(PatchWeights, AreTheAnswersRowWithoutClassToken) {
  Report report = picture_report("cat");
  report.attributions.resize(1);
  report.attributions[0].answer = Tensor::of({2, 5}, Values{9, 9, 9, 9, 9, 8, .1, .2, .3, .4});
  EXPECT_EQ(patch_weights(report, report.attributions[0], 1), (Values{.1, .2, .3, .4}));
  EXPECT_EQ(patch_weights(report, report.attributions[0], 0), (Values{9, 9, 9, 9}));
  report.attributions[0].answer = Tensor::of({2, 4}, Values{0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_THROW(patch_weights(report, report.attributions[0], 1), InternalError);
}

TEST(ToPng, HasARowPerMethodAndAColumnPerTarget) {
  std::vector<Report> reports{picture_report("cat"), picture_report("doggo")};
  for (Report& report : reports) report.attributions[0].traits.of_target = true;
  const std::string png = to_png(reports);
  const Image image = decode_image(std::as_bytes(std::span(png.data(), png.size())), "made");
  EXPECT_EQ(image.width, 3 * 320 + 2 * 8);
  constexpr int caption = 92, foot = 48;
  EXPECT_EQ(image.height, 2 * (caption + 320 + 8) + foot);
  const auto red_at = [&](int x, int y) {
    return image.rgb[static_cast<std::size_t>(3 * (Index{y} * image.width + x))];
  };
  EXPECT_EQ(red_at(0, caption), 50) << "the picture itself comes first";
  EXPECT_EQ(red_at(320, caption), 255) << "then a white gap";
  EXPECT_EQ(red_at(0, caption + 320 + 8 + caption), 50) << "and again in the next row";
  const auto inked = [&](int left, int top, int width, int height) {
    int count = 0;
    for (int y = top; y < top + height; ++y)
      for (int x = left; x < left + width; ++x) count += red_at(x, y) < 100 ? 1 : 0;
    return count;
  };
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 3; ++column)
      EXPECT_GT(inked(column * 328, row * (caption + 328), 320, caption), 200) << row << " " << column;
  EXPECT_NE(inked(328, 22, 320, 22), inked(656, 22, 320, 22)) << "cat is not dog";
  EXPECT_GT(inked(0, image.height - foot, image.width, foot), 200) << "and what the colours mean";
  EXPECT_NE(png.find(std::string("iTXtheadwater\0\0\0\0\0{", 19)), std::string::npos)
      << "carries the run record";
}

TEST(ToPng, RefusesWhatIsNotOnePicture) {
  EXPECT_THROW(to_png({}), InputError);
  const std::vector<Report> text{testing::text_report()};
  EXPECT_THROW(to_png(text), InputError);
  std::vector<Report> two{picture_report("cat"), picture_report("dog")};
  two[1].attributions.pop_back();
  EXPECT_THROW(to_png(two), InputError);
  two[1] = picture_report("dog");
  two[1].picture = encode_png(grey(8, 51));
  EXPECT_THROW(to_png(two), InputError);
  two[1] = picture_report("dog");
  two[1].attributions[1].scores() = {};
  EXPECT_THROW(to_png(two), InputError);
}

TEST(ToHtml, ShowsTargetsSideBySide) {
  std::vector<Report> reports{picture_report("cat"), picture_report("<dog>")};
  for (Report& report : reports) report.attributions[0].traits.of_target = true;
  const std::string page = to_html(reports);
  const std::string begin = "<script type=\"application/json\" id=\"report\">";
  const std::size_t at = page.find(begin) + begin.size();
  const Json data = parse_json(page.substr(at, page.find("</script>", at) - at), "page");
  EXPECT_EQ(data["target"]["label"], "cat");
  ASSERT_EQ(data["others"].size(), 1U);
  EXPECT_EQ(data["others"][0]["target"]["label"], "<dog>");
  EXPECT_EQ(data["others"][0]["attributions"][0]["scores"], data["attributions"][0]["scores"])
      << "the same numbers stand there once";
  EXPECT_TRUE(data["attributions"][0]["traits"]["of_target"]);
  EXPECT_FALSE(data["attributions"][1]["traits"]["of_target"]);
  EXPECT_EQ(data["picture"].get<std::string>().substr(0, 22), "data:image/png;base64,");
  EXPECT_THROW(to_html(std::span<const Report>()), InputError);
}

}  // namespace
}  // namespace headwater
