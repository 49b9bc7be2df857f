#include "base/json.h"

#include <ctime>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "base/utf8.h"

namespace headwater {
namespace {

template <class F>
std::string refusal(F&& parse) {
  try {
    parse();
  } catch (const FormatError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(ParseJson, Values) {
  const Json json = parse_json(R"( {"a":[1,-2,3.5,true,null,"ü\n"]} )", "f");
  EXPECT_EQ(json.at("a").size(), 6U);
  EXPECT_EQ(json.at("a")[1], -2);
  EXPECT_EQ(json.at("a")[5], "ü\n");
  EXPECT_TRUE(json.at("a")[0].is_number_unsigned());
}

TEST(ParseJson, ErrorsNamePlaceAndByte) {
  EXPECT_TRUE(refusal([] {
                parse_json(R"({"a": tru})", "dir/f.json");
              }).starts_with("dir/f.json: expected valid JSON, found an error at byte 10"));
  for (const char* text : {"", "{", "[1,]", R"({"a":1,})", "1 2", "{'a':1}", "NaN", "[1e999]", "\"\x01\"",
                           "\"\xff\"", R"("\ud800")", "// c\n1"})
    EXPECT_TRUE(refusal([&] { parse_json(text, "f"); }).starts_with("f: expected valid JSON")) << text;
}

TEST(ParseJson, MessagesAreValidUtf8) {
  EXPECT_EQ(first_invalid_utf8(refusal([] { parse_json("\"abc\xff\xfe", "f"); })), std::nullopt);
}

TEST(ParseJson, DepthIsLimited) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_NO_THROW(parse_json(nested(128), "f"));
  EXPECT_EQ(refusal([&] { parse_json(nested(129), "f"); }),
            "f: expected JSON nested at most 128 deep, found more");
  EXPECT_EQ(refusal([] { parse_json(std::string(1'000'000, '['), "f"); }),
            "f: expected JSON nested at most 128 deep, found more");
}

TEST(ParseJson, RepeatedKeys) {
  EXPECT_EQ(parse_json(R"({"a":1,"a":2})", "f").at("a"), 2);
  EXPECT_EQ(refusal([] { parse_json_unique(R"({"b":[{"a":1,"a":2}]})", "f"); }),
            "f: expected every key once, found \"a\" twice");
  EXPECT_EQ(refusal([] { parse_json_unique(R"({"a":{"x":1},"b":2,"a":3})", "f"); }),
            "f: expected every key once, found \"a\" twice");
  EXPECT_EQ(parse_json_unique(R"({"a":{"a":1,"b":{"a":2}},"b":[{"a":3},{"a":4}]})", "f").size(), 2U);
}

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Ten times the objects take about ten times as long, and not a hundred times.
TEST(ParseJson, ManySmallObjectsTakeALinearTime) {
  const auto seconds_for = [](int objects) {
    std::string text = R"({"text":[{})";
    for (int i = 1; i < objects; ++i) text += ",{}";
    text += "]}";
    const double begin = processor_seconds();
    EXPECT_EQ(parse_json_unique(text, "f").at("text").size(), static_cast<std::size_t>(objects));
    return processor_seconds() - begin;
  };
  const double few = seconds_for(4000), many = seconds_for(40000);
  EXPECT_LT(many, 25 * few + 0.05);
}

TEST(ParseJson, ValuesAreBounded) {
  const std::string text = R"({"a":[1,{},"x"]})";  // five values: the object, the list and what it holds
  EXPECT_EQ(parse_json_unique(text, "f", 5).at("a").size(), 3U);
  EXPECT_EQ(refusal([&] { parse_json_unique(text, "f", 4); }),
            "f: expected JSON of fewer values, found more than are taken");
}

TEST(ReadJsonFile, NamesTheFile) {
  EXPECT_TRUE(refusal([] { read_json_file("/nonexistent/x.json"); }).starts_with("/nonexistent/x.json: "));
}

}  // namespace
}  // namespace headwater
