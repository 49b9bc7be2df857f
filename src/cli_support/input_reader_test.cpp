#include "cli_support/input_reader.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>
#include <headwater/error.h>

#include "cli_support/arguments.h"
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

InputOptions parsed(const std::vector<std::string>& arguments) {
  InputOptions options;
  CLI::App app;
  Arguments declared(app);
  add_input_options(declared, options);
  app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  return options;
}

TEST_F(InputReaderTest, ATextIsTakenAsItIs) {
  for (const std::string text : {"[MASK]", "[a,b]", "", "a, b", "info", "\"quoted\""}) {
    InputReader reader(parsed({text}));
    EXPECT_TRUE(reader.from_arguments());
    EXPECT_EQ(reader.next().value().text, text);
    EXPECT_FALSE(reader.next());
    EXPECT_EQ(reader.where(), "");
  }
}

TEST_F(InputReaderTest, OneTextPerLine) {
  InputOptions options = parsed({"--file", file_with("one\r\n\ntwo\tpair\nlast"), "--truncate"});
  InputReader reader(options);
  EXPECT_FALSE(reader.from_arguments());
  EXPECT_EQ(reader.next().value().text, "one");
  EXPECT_EQ(reader.next().value().text, "");
  const Input third = reader.next().value();
  EXPECT_EQ(third.text, "two\tpair");
  EXPECT_FALSE(third.pair);
  EXPECT_TRUE(third.truncate);
  EXPECT_TRUE(reader.where().ends_with("lines.txt:3"));
  EXPECT_EQ(reader.next().value().text, "last");
  EXPECT_FALSE(reader.next());
}

TEST_F(InputReaderTest, ATabSeparatesAPairOnlyWhenAsked) {
  InputReader reader(parsed({"--tsv", "-f", file_with("a\tb\tc\nalone\n")}));
  const Input first = reader.next().value();
  EXPECT_EQ(first.text, "a");
  EXPECT_EQ(first.pair.value(), "b\tc");
  EXPECT_FALSE(reader.next().value().pair);
}

TEST_F(InputReaderTest, APairStandsBesideEveryLine) {
  InputReader reader(parsed({"--pair", "", "-f", file_with("a\nb\n")}));
  EXPECT_EQ(reader.next().value().pair.value(), "");
  EXPECT_EQ(reader.next().value().pair.value(), "");
  EXPECT_EQ(InputReader(parsed({"a", "--pair", "[b]"})).next().value().pair.value(), "[b]");
}

TEST_F(InputReaderTest, ImagesOneByOne) {
  InputReader reader(parsed({"--image", "a.png", "--image", "b,[c].jpg"}));
  EXPECT_EQ(reader.next().value().image, "a.png");
  EXPECT_EQ(reader.next().value().image, "b,[c].jpg");
  EXPECT_FALSE(reader.next());
}

TEST_F(InputReaderTest, RefusesContradictions) {
  const std::string file = file_with("a\n");
  EXPECT_THROW(InputReader(parsed({"text", "-f", file})), InputError);
  EXPECT_THROW(InputReader(parsed({"text", "--image", "a.png"})), InputError);
  EXPECT_THROW(InputReader(parsed({"text", "--tsv"})), InputError);
  EXPECT_THROW(InputReader(parsed({"--tsv", "--pair", "b", "-f", file})), InputError);
  EXPECT_THROW(InputReader(parsed({"--image", "a.png", "--pair", "b"})), InputError);
  EXPECT_THROW(InputReader(parsed({"-f", folder_})), InputError);
  EXPECT_THROW(InputReader(parsed({"-f", folder_ + "/none"})), InputError);
}

}  // namespace
}  // namespace headwater
