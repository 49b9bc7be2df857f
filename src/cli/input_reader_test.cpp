#include "cli/input_reader.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>
#include <headwater/error.h>

#include "cli/arguments.h"
#include "support/scratch_folder.h"

namespace headwater {
namespace {

class InputReaderTest : public ::testing::Test {
 protected:
  std::string file_with(const std::string& text) const {
    std::ofstream(folder_ + "/lines.txt", std::ios::binary) << text;
    return folder_ + "/lines.txt";
  }
  const testing::ScratchFolder scratch_;
  const std::string folder_ = scratch_.path();
};

InputOptions parsed_input(const std::vector<std::string>& arguments) {
  InputOptions options;
  CLI::App app;
  Arguments declared(app);
  add_input_options(declared, options);
  app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  return options;
}

TEST_F(InputReaderTest, ATextIsTakenAsItIs) {
  for (const std::string text : {"[MASK]", "[a,b]", "", "a, b", "info", "\"quoted\""}) {
    InputReader reader(parsed_input({text}));
    EXPECT_TRUE(reader.from_arguments());
    EXPECT_EQ(reader.next().value().input.text, text);
    EXPECT_FALSE(reader.next());
    EXPECT_EQ(reader.where(), "");
    EXPECT_EQ(reader.understood(), "");
  }
}

TEST_F(InputReaderTest, OneTextPerLine) {
  InputOptions options =
      parsed_input({"--file", file_with("one\r\n\ntwo\tpair\nlast"), "--truncate", "--spaced"});
  InputReader reader(options);
  EXPECT_FALSE(reader.from_arguments());
  EXPECT_EQ(reader.next().value().input.text, "one");
  const Example second = reader.next().value();
  EXPECT_EQ(second.input.text, "two\tpair");
  EXPECT_FALSE(second.input.pair);
  EXPECT_TRUE(second.input.truncate && second.input.spaced);
  EXPECT_TRUE(reader.where().ends_with("lines.txt:3"));
  EXPECT_EQ(reader.next().value().input.text, "last");
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.understood(), "") << "of course";
  EXPECT_EQ(reader.left_out(), "1 blank line was left out");
}

TEST_F(InputReaderTest, ColumnsWhenAsked) {
  InputReader reader(
      parsed_input({"--input-format", "tsv", "--pair-column", "2", "-f", file_with("a\tb\tc\n")}));
  const Example first = reader.next().value();
  EXPECT_EQ(first.input.text, "a");
  EXPECT_EQ(first.input.pair.value(), "b");
  EXPECT_TRUE(reader.understood().ends_with(
      "lines.txt as tsv without a header: text from column 1, pair from column 2"));
}

TEST_F(InputReaderTest, APairStandsBesideEveryLine) {
  InputReader reader(parsed_input({"--pair", "", "-f", file_with("a\nb\n")}));
  EXPECT_EQ(reader.next().value().input.pair.value(), "");
  EXPECT_EQ(reader.next().value().input.pair.value(), "");
  EXPECT_EQ(InputReader(parsed_input({"a", "--pair", "[b]"})).next().value().input.pair.value(), "[b]");
}

TEST_F(InputReaderTest, ImagesOneByOne) {
  InputReader reader(parsed_input({"--image", "a.png", "--image", "b,[c].jpg"}));
  EXPECT_EQ(reader.next().value().input.image, "a.png");
  EXPECT_EQ(reader.next().value().input.image, "b,[c].jpg");
  EXPECT_FALSE(reader.next());
}

TEST_F(InputReaderTest, RefusesContradictions) {
  const std::string file = file_with("a\n");
  EXPECT_THROW(InputReader(parsed_input({"text", "-f", file})), InputError);
  EXPECT_THROW(InputReader(parsed_input({"text", "--image", "a.png"})), InputError);
  EXPECT_THROW(InputReader(parsed_input({"text", "--input-format", "tsv"})), InputError);
  EXPECT_THROW(InputReader(parsed_input({"--pair-column", "2", "--pair", "b", "-f", file})), InputError);
  EXPECT_THROW(InputReader(parsed_input({"--image", "a.png", "--pair", "b"})), InputError);
  EXPECT_THROW(InputReader(parsed_input({"-f", folder_})), InputError);
  EXPECT_THROW(InputReader(parsed_input({"-f", folder_ + "/none"})), InputError);
}

}  // namespace
}  // namespace headwater
