#include "base/files.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <headwater/error.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "support/scratch_folder.h"

namespace headwater {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  const testing::ScratchFolder scratch_;
  const std::string root_ = scratch_.path();
};

TEST_F(Files, WriteThenRead) {
  const std::string path = root_ + "/a";
  const std::string bytes("x\0\xFFy\n", 5);
  write_file(path, bytes);
  EXPECT_EQ(read_file(path), bytes);
  write_file(path, "shorter");
  EXPECT_EQ(read_file(path), "shorter");
  write_file(path, "");
  EXPECT_EQ(read_file(path), "");
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), {}), 1) << "a temporary file was left behind";
}

TEST_F(Files, ReadHasALimit) {
  write_file(root_ + "/a", "12345");
  EXPECT_EQ(read_file(root_ + "/a", 5), "12345");
  EXPECT_THROW(read_file(root_ + "/a", 4), FormatError);
}

TEST_F(Files, ReadRefusesWhatIsNoFile) {
  EXPECT_THROW(read_file(root_), FormatError);
  EXPECT_THROW(read_file(root_ + "/none"), FormatError);
  EXPECT_THROW(read_file("/dev/null"), FormatError);
}

// Opening it would wait for somebody who writes.
TEST_F(Files, APipeIsNotOpened) {
  const std::string pipe = root_ + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto refusal = [&](const std::string& path) -> std::string {
    try {
      read_file(path);
    } catch (const FormatError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal(pipe), pipe + ": expected a regular file, found a pipe");
  EXPECT_EQ(refusal("/dev/zero"), "/dev/zero: expected a regular file, found a device");
  EXPECT_THROW(MappedFile::open(pipe), FormatError);
  EXPECT_NO_THROW(require_readable_once(pipe));
  EXPECT_THROW(require_readable_once(root_), InputError);
  EXPECT_THROW(require_readable_once("/dev/zero"), InputError);
  EXPECT_THROW(require_readable_once(root_ + "/none"), InputError);
}

TEST_F(Files, WriteRefusesWithoutLeftovers) {
  EXPECT_THROW(write_file(root_ + "/none/a", "x"), InputError);
  fs::create_directory(root_ + "/folder");
  EXPECT_THROW(write_file(root_ + "/folder", "x"), InputError);
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), {}), 1);
}

TEST_F(Files, Kinds) {
  write_file(root_ + "/a", "x");
  fs::create_symlink(root_ + "/a", root_ + "/link");
  fs::create_symlink(root_ + "/gone", root_ + "/dangling");
  EXPECT_TRUE(file_exists(root_ + "/a"));
  EXPECT_TRUE(file_exists(root_ + "/link"));
  EXPECT_FALSE(file_exists(root_ + "/dangling"));
  EXPECT_FALSE(file_exists(root_));
  EXPECT_FALSE(file_exists(root_ + "/a/b"));
  EXPECT_TRUE(is_directory(root_));
  EXPECT_FALSE(is_directory(root_ + "/a"));
  EXPECT_FALSE(is_directory(""));
}

TEST_F(Files, AMappedFileIsTheSameAfterItWasForgottenAndHashedInPieces) {
  std::string text(std::size_t{9} << 20, 'x');
  for (std::size_t i = 0; i < text.size(); i += 997) text[i] = static_cast<char>('a' + i % 23);
  write_file(root_ + "/large", text);
  const auto file = MappedFile::open(root_ + "/large");
  EXPECT_EQ(sha256_hex(*file), sha256_hex(std::as_bytes(std::span(text))));
  file->forget(file->bytes());
  file->forget(file->bytes().subspan(5, 3));
  file->forget(file->bytes().subspan(text.size() - 4100));
  const auto* const bytes = reinterpret_cast<const char*>(file->bytes().data());
  EXPECT_EQ(std::string_view(bytes, text.size()), text);
  write_file(root_ + "/nothing", "");
  EXPECT_EQ(sha256_hex(*MappedFile::open(root_ + "/nothing")), sha256_hex(std::span<const std::byte>()));
}

TEST_F(Files, MappedFile) {
  write_file(root_ + "/a", "hello");
  const auto file = MappedFile::open(root_ + "/a");
  ASSERT_EQ(file->bytes().size(), 5U);
  EXPECT_EQ(file->bytes()[4], std::byte{'o'});
  write_file(root_ + "/a", "other");  // replaces the name, not the mapped bytes
  EXPECT_EQ(file->bytes()[0], std::byte{'h'});
  write_file(root_ + "/empty", "");
  EXPECT_TRUE(MappedFile::open(root_ + "/empty")->bytes().empty());
  EXPECT_THROW(MappedFile::open(root_), FormatError);
  EXPECT_THROW(MappedFile::open(root_ + "/none"), FormatError);
}

// The file is whole, the process is not allowed its size: what the caller can mend, as everywhere where memory ends.
TEST_F(Files, AMappingThatFindsNoRoomIsNoFaultOfTheFile) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer does not run within a bound of addresses";
#endif
  write_file(root_ + "/a", std::string(64U << 20U, 'a'));
  const auto refused = [&] {
    rlimit bound{};
    ::getrlimit(RLIMIT_AS, &bound);
    bound.rlim_cur = 1U << 20U;
    if (::setrlimit(RLIMIT_AS, &bound) != 0) std::_Exit(1);
    try {
      MappedFile::open(root_ + "/a");
    } catch (const InputError& error) {
      std::_Exit(std::string_view(error.what()).find("64 MiB more") == std::string_view::npos ? 2 : 0);
    } catch (...) {
      std::_Exit(3);
    }
    std::_Exit(4);
  };
  EXPECT_EXIT(refused(), ::testing::ExitedWithCode(0), ".*");
}

// FIPS 180-4 examples.
TEST(Sha256, KnownDigests) {
  const auto digest = [](std::string_view text) { return sha256_hex(std::as_bytes(std::span(text))); };
  EXPECT_EQ(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace headwater
