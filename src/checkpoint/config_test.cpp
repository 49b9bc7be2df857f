#include "checkpoint/config.h"

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "base/json.h"
#include "support/format_error.h"

namespace headwater {
namespace {

using testing::expect_format_error;

Config parse(std::string_view text) {
  return Config::parse(text, "c.json");
}

TEST(Config, ReadsValues) {
  const Config c =
      parse(R"({"i":-12,"n":1e-5,"b":true,"s":"gelu","l":["A","B"],"z":null,"big":9223372036854775807})");
  EXPECT_EQ(c.integer("i"), -12);
  EXPECT_EQ(c.integer("big"), INT64_MAX);
  EXPECT_EQ(c.number("n"), 1e-5);
  EXPECT_EQ(c.number("i"), -12.0);
  EXPECT_TRUE(c.boolean("b"));
  EXPECT_EQ(c.text("s"), "gelu");
  EXPECT_EQ(c.texts("l"), (std::vector<std::string>{"A", "B"}));
  EXPECT_TRUE(c.has("i"));
  EXPECT_FALSE(c.has("z"));
  EXPECT_FALSE(c.has("q"));
  EXPECT_EQ(c.where(), "c.json");
  EXPECT_EQ(c.json().size(), 7U);
}

TEST(Config, DefaultsStandForMissingAndNull) {
  const Config c = parse(R"({"z":null})");
  for (const char* key : {"z", "q"}) {
    EXPECT_EQ(c.integer(key, 3), 3);
    EXPECT_EQ(c.positive(key, 4), 4);
    EXPECT_EQ(c.number(key, 0.5), 0.5);
    EXPECT_FALSE(c.boolean(key, false));
    EXPECT_EQ(c.text(key, "x"), "x");
    EXPECT_TRUE(c.texts(key).empty());
  }
}

TEST(Config, MissingKeysAreNamed) {
  const Config c = parse("{}");
  expect_format_error([&] { c.integer("k"); }, "c.json: key k: expected an integer, found none");
  expect_format_error([&] { c.positive("k"); },
                      "c.json: key k: expected an integer from 1 to 2^31 − 1, found none");
  expect_format_error([&] { c.number("k"); }, "c.json: key k: expected a number, found none");
  expect_format_error([&] { c.boolean("k"); }, "c.json: key k: expected true or false, found none");
  expect_format_error([&] { c.text("k"); }, "c.json: key k: expected a string, found none");
}

TEST(Config, WrongTypesAreRefusedEvenWithADefault) {
  const Config c = parse(R"({"s":"1","f":1.5,"i":1,"u":9223372036854775808,"l":["a",2],"o":{}})");
  expect_format_error([&] { c.integer("f", 1); }, "c.json: key f: expected an integer, found 1.5");
  expect_format_error([&] { c.integer("u"); },
                      "c.json: key u: expected an integer, found 9223372036854775808");
  expect_format_error([&] { c.number("s", 1.0); }, "c.json: key s: expected a number, found \"1\"");
  expect_format_error([&] { c.boolean("i", true); }, "c.json: key i: expected true or false, found 1");
  expect_format_error([&] { c.text("i", ""); }, "c.json: key i: expected a string, found 1");
  expect_format_error([&] { c.texts("o"); }, "c.json: key o: expected a list of strings, found {}");
  expect_format_error([&] { c.texts("l"); }, "c.json: key l: expected a list of strings, found 2");
}

TEST(Config, PositiveHasBounds) {
  const Config c = parse(R"({"zero":0,"one":1,"most":2147483647,"more":2147483648,"minus":-1})");
  EXPECT_EQ(c.positive("one"), 1);
  EXPECT_EQ(c.positive("most"), 2147483647);
  EXPECT_THROW(c.positive("zero"), FormatError);
  EXPECT_THROW(c.positive("minus"), FormatError);
  expect_format_error([&] { c.positive("more"); },
                      "c.json: key more: expected an integer from 1 to 2^31 − 1, found 2147483648");
  expect_format_error(
      [&] { c.positive("absent", Index{1} << 33U); },
      "c.json: key absent: expected an integer from 1 to 2^31 − 1, found none, which means 8589934592");
}

TEST(Config, IdsHave32Bits) {
  const Config c = parse(R"({"no":-1,"id":102,"wide":4294967297})");
  EXPECT_EQ(c.id("no"), -1);
  EXPECT_EQ(c.id("id"), 102);
  EXPECT_EQ(c.id("absent", 7), 7);
  expect_format_error([&] { c.id("wide"); },
                      "c.json: key wide: expected an integer of 32 bits, found 4294967297");
}

TEST(Config, MustBeAnObject) {
  expect_format_error([] { parse("[1]"); }, "c.json: expected a JSON object, found array");
  EXPECT_THROW(parse("{"), FormatError);
  EXPECT_THROW(Config::read("/nonexistent/config.json"), FormatError);
}

TEST(Config, LabelsInOrder) {
  EXPECT_EQ(parse(R"({"id2label":{"1":"b","10":"k","0":"a","2":"c","3":"d","4":"e","5":"f","6":"g","7":"h",
                     "8":"i","9":"j"}})")
                .labels(),
            (std::vector<std::string>{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"}));
  EXPECT_EQ(parse(R"({"id2label":{"0":7,"1":"b"},"num_labels":5})").labels(),
            (std::vector<std::string>{"7", "b"}));
}

TEST(Config, LabelsByDefault) {
  EXPECT_EQ(parse("{}").labels(), (std::vector<std::string>{"LABEL_0", "LABEL_1"}));
  EXPECT_EQ(parse(R"({"id2label":null,"num_labels":3})").labels(),
            (std::vector<std::string>{"LABEL_0", "LABEL_1", "LABEL_2"}));
}

TEST(Config, BrokenLabelsAreRefused) {
  expect_format_error([] { parse(R"({"id2label":{"0":"a","2":"b"}})").labels(); },
                      "c.json: key id2label: expected the keys \"0\" to \"1\", found \"2\"");
  for (const char* text :
       {R"({"id2label":["a"]})", R"({"id2label":{}})", R"({"id2label":{"":"a"}})",
        R"({"id2label":{"00":"a"}})", R"({"id2label":{"+0":"a"}})", R"({"id2label":{"0":["a"]}})",
        R"({"id2label":{"0x":"a"}})", R"({"id2label":{"99999999999999999999999":"a"}})",
        R"({"num_labels":0})", R"({"num_labels":-1})", R"({"num_labels":1000001})", R"({"num_labels":"2"})",
        R"({"num_labels":9223372036854775807})"})
    EXPECT_THROW(parse(text).labels(), FormatError) << text;
}

TEST(Config, MessagesStayPrintable) {
  expect_format_error([] { parse(R"({"k":"\u0000\u0007"})").integer("k"); },
                      R"(c.json: key k: expected an integer, found "\u0000\u0007")");
  expect_format_error([] { parse("{}").integer(std::string("a\0\xff", 3)); },
                      R"(c.json: key a\x00\xFF: expected an integer, found none)");
}

}  // namespace
}  // namespace headwater
