// Local file headers with their bytes, then the central directory, then its end record; all little-endian
// (PKWARE APPNOTE 4.3). Method 0 stores, CRC-32 comes from zlib.
#include "files/zip.h"

#include <fmt/format.h>
#include <headwater/error.h>
#include <zlib.h>

namespace headwater {

namespace {

void put16(std::string& out, std::uint32_t value) {
  out += static_cast<char>(value & 0xff);
  out += static_cast<char>(value >> 8 & 0xff);
}

void put32(std::string& out, std::uint64_t value) {
  put16(out, static_cast<std::uint32_t>(value & 0xffff));
  put16(out, static_cast<std::uint32_t>(value >> 16 & 0xffff));
}

void put16s(std::string& out, std::initializer_list<std::uint32_t> values) {
  for (const std::uint32_t value : values) put16(out, value);
}

// The common part of both headers: version, flags (UTF-8 names), method, date, checksum, sizes, name length.
std::string common(std::string_view name, std::string_view bytes) {
  std::string out;
  put16s(out, {20, 0x0800, 0, 0, 0x0021});  // the last: 1980-01-01
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  put32(out, crc32_z(0, data, bytes.size()));
  put32(out, bytes.size());
  put32(out, bytes.size());
  put16s(out, {static_cast<std::uint32_t>(name.size()), 0});
  return out;
}

}  // namespace

void Zip::require_size(std::uint64_t bytes) {
  if (bytes > 0xfffffffe)
    throw InputError(fmt::format(
        "npz: expected at most 4 GiB, found {} bytes; write safetensors instead, or ask for fewer maps",
        bytes));
}

void Zip::add(std::string_view name, std::string_view bytes) {
  require_size(files_.size() + directory_.size() + bytes.size() + 2 * name.size() + 128);
  const std::uint64_t offset = files_.size();
  const std::string header = common(name, bytes);
  files_ += "PK\x03\x04";
  files_ += header;
  files_ += name;
  files_ += bytes;
  directory_ += "PK\x01\x02";
  put16(directory_, 20);
  directory_ += header;
  put16s(directory_, {0, 0, 0, 0, 0});  // comment, disk, internal attributes, external ones in 32 bits
  put32(directory_, offset);
  directory_ += name;
  ++count_;
}

std::string Zip::finish() && {
  std::string out = std::move(files_);
  const std::uint64_t offset = out.size();
  out += directory_;
  out += "PK\x05\x06";
  put32(out, 0);
  put16s(out, {count_, count_});
  put32(out, directory_.size());
  put32(out, offset);
  put16(out, 0);
  return out;
}

}  // namespace headwater
