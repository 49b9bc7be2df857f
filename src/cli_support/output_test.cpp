#include "cli_support/output.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "base/files.h"

namespace headwater {
namespace {

namespace fs = std::filesystem;

class OutputTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "headwater_output_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  std::string folder_;
};

TEST_F(OutputTest, AFileAppearsWholeOrNotAtAll) {
  const std::string path = folder_ + "/a.json";
  {
    Output output(path);
    output.write("half");
    output.flush();
    EXPECT_FALSE(fs::exists(path));
  }
  EXPECT_EQ(files(), 0U);
  Output output(path);
  output.write(std::string_view("a\0b", 3));
  output.finish();
  EXPECT_EQ(read_file(path), std::string("a\0b", 3));
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputTest, AnOldFileStaysUntilTheNewOneIsComplete) {
  const std::string path = folder_ + "/a.json";
  write_file(path, "old");
  { Output(path).write("new"); }
  EXPECT_EQ(read_file(path), "old");
}

TEST_F(OutputTest, RefusesWhatCannotBeWritten) {
  EXPECT_THROW(Output(folder_ + "/none/a.json"), InputError);
  EXPECT_THROW(Output{folder_}, InputError);
  EXPECT_EQ(files(), 0U);
}

TEST_F(OutputTest, ADeviceIsWrittenDirectly) {
  Output output("/dev/null");
  output.write("x");
  output.finish();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_TRUE(output.is_file());
}

TEST_F(OutputTest, AFullDiskIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  Output output("/dev/full");
  EXPECT_THROW(
      {
        output.write("x");
        output.finish();
      },
      InputError);
}

}  // namespace
}  // namespace headwater
