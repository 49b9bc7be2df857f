#include "base/json.h"

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
  EXPECT_EQ(refusal([&] { parse_json(nested(130), "f"); }),
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

TEST(ReadJsonFile, NamesTheFile) {
  EXPECT_TRUE(refusal([] { read_json_file("/nonexistent/x.json"); }).starts_with("/nonexistent/x.json: "));
}

}  // namespace
}  // namespace headwater
