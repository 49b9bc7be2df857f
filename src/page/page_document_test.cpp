#include "page/page_document.h"

#include <cmath>
#include <cstring>

#include <gtest/gtest.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "support/sample_report.h"

namespace headwater {
namespace {

const PageForm live{.scores_path = "/v1/jobs/7/scores"};

std::uint32_t length_of(const std::string& frame) {
  std::uint32_t length = 0;
  std::memcpy(&length, frame.data() + 4, sizeof length);
  return length;
}

TEST(PageDocument, FrameHoldsTheJsonAndTheNumbers) {
  const Report report = testing::text_report();
  const std::string frame = framed(page_document(std::span(&report, 1), live));
  ASSERT_EQ(frame.substr(0, 4), "HWP1");
  EXPECT_EQ(frame.size() % 8, 0U);
  const Json json = parse_json(frame.substr(8, length_of(frame)), "frame");
  const std::size_t blobs = (8 + length_of(frame) + 7) / 8 * 8;
  for (std::size_t i = 0; i < 2; ++i) {
    const Json& place = json["blobs"][json["attributions"][i]["scores"].get<std::string>()];
    EXPECT_EQ(place["format"], "f32");
    EXPECT_EQ(place["offset"].get<std::size_t>() % 8, 0U);
    const Tensor& scores = report.attributions[i].scores();
    EXPECT_EQ(frame.substr(blobs + place["offset"].get<std::size_t>(), place["bytes"].get<std::size_t>()),
              std::string(reinterpret_cast<const char*>(scores.data<float>()), scores.bytes()));
  }
}

TEST(PageDocument, LargeMapsAreSentLayerByLayer) {
  Report report = testing::text_report();
  report.attributions.resize(1);
  std::vector<double> cells(2UL * 2 * 520 * 520);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<double>(i % 1000);
  report.attributions[0].scores() = Tensor::of({2, 2, 520, 520}, cells, DType::Float32);
  const std::vector<Report> both{report, report};
  const PageDocument document = page_document(both, live);
  EXPECT_TRUE(document.blobs.empty());
  EXPECT_FALSE(document.json["attributions"][0].contains("scores"));
  EXPECT_EQ(document.json["attributions"][0]["by_layer"], "/v1/jobs/7/scores/0");
  EXPECT_EQ(document.json["others"][0]["attributions"][0]["by_layer"], "/v1/jobs/7/scores/1");
  const std::string layer = layer_bytes(document, 1, 1);
  ASSERT_EQ(layer.size(), 2UL * 520 * 520 * 4);
  float first = 0;
  std::memcpy(&first, layer.data(), sizeof first);
  EXPECT_EQ(first, 2 * 520 * 520 % 1000);
  EXPECT_THROW(layer_bytes(document, 0, 2), InputError);
  EXPECT_THROW(layer_bytes(document, 2, 0), InputError);
}

TEST(PageDocument, KindsOfAttentionSayWhereTheyStandInTheJointMap) {
  Report report = testing::text_report();
  report.prediction.sequences = {{.name = "source", .first = 0, .count = 3},
                                 {.name = "prefix", .first = 3, .count = 2}};
  const auto map = [](const char* name, int rows, Index r, int columns, Index c, double value) {
    return Map{name,
               {Axis::Layer, Axis::Head, {Axis::Query, rows}, {Axis::Key, columns}},
               Tensor::full({1, 1, r, c}, DType::Float32, value)};
  };
  report.attributions.resize(1);
  report.attributions[0].maps = {map("encoder", 0, 3, 0, 3, 1), map("decoder", 1, 2, 1, 2, 2),
                                 map("cross", 1, 2, 0, 3, 3)};
  const PageDocument document = page_document(std::span(&report, 1), live);
  const OrderedJson& drawn = document.json["attributions"][0];
  EXPECT_EQ(
      drawn["maps"][2],
      (OrderedJson{{"name", "cross"}, {"query_first", 3}, {"key_first", 0}, {"rows", 2}, {"columns", 3}}));
  EXPECT_EQ(drawn["shape"], (std::vector<int>{1, 1, 5, 5}));
  std::vector<float> joint(25);
  ASSERT_EQ(document.blobs[0].bytes.size(), sizeof(float) * joint.size());
  std::memcpy(joint.data(), document.blobs[0].bytes.data(), document.blobs[0].bytes.size());
  EXPECT_EQ(joint[0], 1);
  EXPECT_TRUE(std::isnan(joint[3])) << "the source does not read the prefix";
  EXPECT_EQ(joint[3 * 5 + 0], 3);
  EXPECT_EQ(joint[4 * 5 + 4], 2);
  EXPECT_EQ(document.json["sequences"][1]["name"], "prefix");
}

TEST(PageDocument, RecordHasThePythonLinesThatRepeatTheRun) {
  Report report = testing::text_report();
  report.asked.input.text = "said \"no\"\n";
  report.asked.methods = {{.name = "attention", .aggregate = "rollout"},
                          {.name = "integrated_gradients", .options = {{"steps", "20"}}}};
  report.asked.view.unit = View::Unit::Word;
  report.asked.target.position = 3;
  EXPECT_EQ(page_document(std::span(&report, 1)).json["record"]["python"],
            "import headwater as hw\n"
            "m = hw.load(\"sentiment\")\n"
            "m.explain(\"said \\\"no\\\"\\n\", [(\"integrated_gradients\", {\"steps\": \"20\"})], "
            "target=\"POSITIVE\", position=3).view(\"word\", \"keep\")\n"
            "m.explain(\"said \\\"no\\\"\\n\", [\"attention\"], target=\"POSITIVE\", position=3, "
            "aggregate=\"rollout\").view(\"word\", \"keep\")");
}

// Somebody else opens the page: the folders of whoever made it are none of their business.
TEST(PageDocument, AFileNamesNoFolder) {
  Report report = testing::image_report();
  report.record.model = "/home/ada/models/vision/";
  report.record.cache_dir = "/home/ada/cache";
  report.image = report.asked.input.image = "/home/ada/cat.png";
  const OrderedJson json = page_document(std::span(&report, 1)).json;
  EXPECT_EQ(json.dump().find("/home/ada"), std::string::npos) << json["record"];
  EXPECT_EQ(json["record"]["model"], "vision");
  EXPECT_EQ(json["input"]["image"], "cat.png");
  EXPECT_TRUE(json["record"]["command"].get<std::string>().starts_with("headwater explain -m vision"));
  const OrderedJson served = page_document(std::span(&report, 1), live).json;
  EXPECT_EQ(served["record"]["model"], "vision");
  EXPECT_NE(served["record"]["command"].get<std::string>().find("/home/ada/models/vision"), std::string::npos)
      << "where it runs the command is to work";
  report.record.commit = "0123";
  report.record.model = "org/name";
  EXPECT_EQ(page_document(std::span(&report, 1)).json["record"]["model"], "org/name");
}

TEST(PageDocument, EveryResultHasItsSentence) {
  const Report report = testing::text_report();
  const OrderedJson json = page_document(std::span(&report, 1)).json;
  EXPECT_EQ(json["answer"], "POSITIVE 90.0 %");
  for (std::size_t i = 0; i < report.attributions.size(); ++i)
    EXPECT_EQ(json["attributions"][i]["sentence"], sentence_of(report, report.attributions[i]));
}

TEST(PageDocument, NamesMethodsAsASentenceWould) {
  Report report = testing::text_report();
  report.attributions[0].method = "effective_attention";
  report.attributions[1].method = "chefer";
  const OrderedJson results = page_document(std::span(&report, 1)).json["attributions"];
  EXPECT_EQ(results[0]["title"], "Effective attention");
  EXPECT_EQ(results[0]["corrects"], "attention");
  EXPECT_EQ(results[1]["title"], "Chefer's relevance");
  EXPECT_FALSE(results[1].contains("corrects"));
}

}  // namespace
}  // namespace headwater
