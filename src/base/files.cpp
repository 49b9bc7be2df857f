#include "base/files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include <fcntl.h>
#include <fmt/format.h>
#include <headwater/error.h>
#include <openssl/evp.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headwater {
namespace {

std::string_view name_of_kind(mode_t mode) {
  return S_ISDIR(mode)    ? "a folder"
         : S_ISFIFO(mode) ? "a pipe"
         : S_ISSOCK(mode) ? "a socket"
         : S_ISREG(mode)  ? "a file"
                          : "a device";
}

// Opens a regular file for reading and tells its size; the caller closes it. It is looked at before it is
// opened, because opening alone waits for ever at a pipe and does something at a device.
int open_regular(const std::string& path, std::size_t& size) {
  const auto require_regular = [&](const struct stat& status) {
    if (!S_ISREG(status.st_mode))
      throw FormatError(
          fmt::format("{}: expected a regular file, found {}", path, name_of_kind(status.st_mode)));
  };
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    throw FormatError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  require_regular(status);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) throw FormatError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  if (::fstat(descriptor, &status) != 0) status.st_mode = 0;
  if (!S_ISREG(status.st_mode)) {  // another one by now
    ::close(descriptor);
    require_regular(status);
  }
  size = static_cast<std::size_t>(status.st_size);
  return descriptor;
}

}  // namespace

std::string read_file(const std::string& path, std::size_t limit) {
  std::size_t size = 0;
  const int descriptor = open_regular(path, size);
  if (size > limit) {
    ::close(descriptor);
    throw FormatError(fmt::format("{}: expected at most {} bytes, found {}", path, limit, size));
  }
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(descriptor, bytes.data() + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  ::close(descriptor);
  if (done != size) throw FormatError(fmt::format("{}: expected {} bytes, could read {}", path, size, done));
  return bytes;
}

void write_file(const std::string& path, std::string_view bytes) {
  const std::string temporary = fmt::format("{}.{}.part", path, ::getpid());
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    std::remove(temporary.c_str());
    throw InputError(
        fmt::format("{}: cannot be written: {}; choose another place with -o", path, std::strerror(reason)));
  }
}

bool file_exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

bool is_directory(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

void require_readable_once(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    throw InputError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  if (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode)) return;
  throw InputError(
      fmt::format("{}: expected a file or a pipe, found {}", path, name_of_kind(status.st_mode)));
}

std::vector<std::string> entries_of(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    names.push_back(at->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
  std::size_t size = 0;
  const int descriptor = open_regular(path, size);
  void* data = size == 0 ? nullptr : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const int reason = errno;
  ::close(descriptor);
  if (data == MAP_FAILED && reason == ENOMEM)  // nothing is wrong with the file
    throw InputError(
        fmt::format("{}: out of memory: {} MiB more are needed; allow more (ulimit -v)", path, size >> 20U));
  if (data == MAP_FAILED)
    throw FormatError(fmt::format("{}: cannot be mapped: {}", path, std::strerror(reason)));
  return std::shared_ptr<const MappedFile>(new MappedFile(static_cast<const std::byte*>(data), size));
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::forget(std::span<const std::byte> part) const {
  // Whole pages only: the others hold bytes of neighbours.
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto offset = static_cast<std::size_t>(part.data() - data_);
  const std::size_t begin = (offset + page - 1) / page * page, end = (offset + part.size()) / page * page;
  if (begin < end) ::madvise(const_cast<std::byte*>(data_) + begin, end - begin, MADV_DONTNEED);
}

namespace {

std::string hex_of(EVP_MD_CTX* context) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (EVP_DigestFinal_ex(context, digest.data(), &length) != 1)
    throw InternalError("sha256: the digest could not be computed");
  std::string hex;
  for (unsigned int i = 0; i < length; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

// Of all bytes, each piece being told when it was read.
std::string sha256_of(std::span<const std::byte> bytes,
                      const std::function<void(std::span<const std::byte>)>& was_read) {
  constexpr std::size_t piece = std::size_t{4} << 20;
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  bool well = context != nullptr && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  for (std::size_t begin = 0; well && begin < bytes.size(); begin += piece) {
    const auto some = bytes.subspan(begin, std::min(piece, bytes.size() - begin));
    well = EVP_DigestUpdate(context.get(), some.data(), some.size()) == 1;
    was_read(some);
  }
  if (!well) throw InternalError("sha256: the digest could not be computed");
  return hex_of(context.get());
}

}  // namespace

std::string sha256_hex(std::span<const std::byte> bytes) {
  return sha256_of(bytes, [](std::span<const std::byte>) {});
}

std::string sha256_hex(const MappedFile& file) {
  return sha256_of(file.bytes(), [&](std::span<const std::byte> part) { file.forget(part); });
}

void refuse_pointer(std::string_view content, const std::string& path) {
  constexpr std::string_view start = "version https://git-lfs.github.com/spec/";
  if (!content.starts_with(start)) return;
  throw FormatError(fmt::format(
      "{}: expected the file itself, found a Git LFS pointer that stands in its place; fetch it, in "
      "its folder: git lfs install && git lfs pull",
      path));
}

}  // namespace headwater
