#include "cli/output.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <headwater/error.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "support/scratch_folder.h"

namespace headwater {
namespace {

namespace fs = std::filesystem;

class OutputTest : public ::testing::Test {
 protected:
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  const testing::ScratchFolder scratch_;
  const std::string folder_ = scratch_.path();
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

// Nobody is asked before SIGKILL, and there is nobody to tidy up after it.
TEST_F(OutputTest, NothingIsLeftOfAProgramThatIsKilled) {
  const pid_t child = ::fork();
  if (child == 0) {
    Output output(folder_ + "/a.json");
    output.write("half");
    output.flush();
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(files(), 0U);
}

TEST_F(OutputTest, AnOldFileStaysUntilTheNewOneIsComplete) {
  const std::string path = folder_ + "/a.json";
  write_file(path, "old");
  { Output(path).write("new"); }
  EXPECT_EQ(read_file(path), "old");
}

TEST_F(OutputTest, ALinkStaysALink) {
  write_file(folder_ + "/target.json", "old");
  fs::create_directory(folder_ + "/links");
  fs::create_symlink("../target.json", folder_ + "/links/first");
  fs::create_symlink("first", folder_ + "/links/second");
  Output output(folder_ + "/links/second");
  output.write("new");
  output.finish();
  EXPECT_TRUE(fs::is_symlink(folder_ + "/links/first"));
  EXPECT_TRUE(fs::is_symlink(folder_ + "/links/second"));
  EXPECT_FALSE(fs::is_symlink(folder_ + "/target.json"));
  EXPECT_EQ(read_file(folder_ + "/target.json"), "new");
  fs::create_symlink("later.json", folder_ + "/dangling");
  Output made(folder_ + "/dangling");
  made.write("new");
  made.finish();
  EXPECT_EQ(read_file(folder_ + "/later.json"), "new");
}

TEST_F(OutputTest, LinksInACircleAreAnError) {
  fs::create_symlink("b", folder_ + "/a");
  fs::create_symlink("a", folder_ + "/b");
  EXPECT_THROW(Output{folder_ + "/a"}, InputError);
}

TEST_F(OutputTest, AReadOnlyFileIsKept) {
  const std::string path = folder_ + "/kept.json";
  write_file(path, "old");
  fs::permissions(path, fs::perms::owner_read);
  EXPECT_THROW(Output{path}, InputError);
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputTest, PermissionsOfAnOldFileStay) {
  const std::string path = folder_ + "/private.json";
  write_file(path, "old");
  constexpr auto mine = fs::perms::owner_read | fs::perms::owner_write;
  fs::permissions(path, mine);
  Output output(path);
  output.write("new");
  output.finish();
  EXPECT_EQ(fs::status(path).permissions(), mine);
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
