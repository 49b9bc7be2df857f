// Files as bytes: read whole, mapped, or written so that no half-written file is ever left behind.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace headwater {

// Reads a whole file. Throws FormatError naming the path and the reason if it cannot be read, or if it
// is larger than `limit` bytes.
std::string read_file(const std::string& path, std::size_t limit = std::size_t{1} << 30);

// Writes to a temporary neighbour and renames. Throws InputError if the place cannot be written.
void write_file(const std::string& path, std::string_view bytes);

bool file_exists(const std::string& path);
bool is_directory(const std::string& path);
// For what is read from its beginning to its end, so that a pipe will do: throws InputError naming what else
// it is, a folder or a device, or that it is not there. To be asked before it is opened.
void require_readable_once(const std::string& path);
std::vector<std::string> entries_of(const std::string& folder);  // names, in order; none if it cannot be read

// A read-only memory map of a whole file; shared by whoever still needs a byte of it.
class MappedFile {
 public:
  static std::shared_ptr<const MappedFile> open(const std::string& path);  // throws FormatError
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  // Takes no memory for these bytes until they are read again.
  void forget(std::span<const std::byte> part) const;

 private:
  MappedFile(const std::byte* data, std::size_t size) : data_(data), size_(size) {}
  const std::byte* data_;
  std::size_t size_;
};

// SHA-256 in hexadecimal: the identity of a model or tokenizer file in a run record.
std::string sha256_hex(std::span<const std::byte> bytes);
std::string sha256_hex(const MappedFile& file);  // holds a few MiB of it at a time

// Throws FormatError if this is what Git has in place of a large file that was not fetched (Git LFS).
void refuse_pointer(std::string_view content, const std::string& path);

}  // namespace headwater
