// npz: a zip of .npy files. A zip ends in a record that says where its directory is; an entry of the
// directory says how its file is packed (0 stored, 8 deflated), its sizes, and where its own header is,
// behind which the bytes stand (PKWARE APPNOTE 4.3). An .npy is the magic "\x93NUMPY", a version, the length
// of a header, the header (a Python dict) and the data. Texts (<Un) are UTF-32, padded with zeros.
#include <cstdint>
#include <cstring>

#include <fmt/format.h>
#include <headwater/error.h>
#include <zlib.h>

#include "base/json.h"
#include "base/utf8.h"
#include "files/results.h"

namespace headwater {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;  // of one array, unpacked

[[noreturn]] void broken(const std::string& where, const std::string& expected) {
  throw FormatError(
      fmt::format("{}: expected {}, found something else or the end of the file", where, expected));
}

std::string_view piece(std::string_view bytes, std::size_t at, std::size_t size, const std::string& where) {
  if (at > bytes.size() || size > bytes.size() - at) broken(where, fmt::format("{} bytes at {}", size, at));
  return bytes.substr(at, size);
}

std::uint32_t little(std::string_view bytes, std::size_t at, std::size_t size, const std::string& where) {
  std::uint32_t value = 0;
  const std::string_view part = piece(bytes, at, size, where);
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<std::uint8_t>(part[i]);
  return value;
}

std::string inflated(std::string_view packed, std::size_t size, const std::string& where) {
  if (size > most_bytes) broken(where, "at most 1 GiB in one array");
  std::string out(size, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw InternalError("npz: zlib does not start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int code = inflate(&stream, Z_FINISH);
  const bool whole = code == Z_STREAM_END && stream.total_out == size;
  inflateEnd(&stream);
  if (!whole) broken(where, "deflated data");
  return out;
}

// The text of a Python dict entry: 'descr': '<f4' gives <f4, 'shape': (3, 4) gives 3, 4.
std::string entry_of(std::string_view header, std::string_view key, char open, char close,
                     const std::string& where) {
  const std::size_t at = header.find(fmt::format("'{}'", key));
  if (at == std::string_view::npos) broken(where, fmt::format("'{}' in the header", key));
  const std::size_t begin = header.find(open, header.find(':', at));
  const std::size_t end = begin == std::string_view::npos ? begin : header.find(close, begin + 1);
  if (end == std::string_view::npos) broken(where, fmt::format("a value of '{}'", key));
  return std::string(header.substr(begin + 1, end - begin - 1));
}

std::vector<Index> shape_in(const std::string& text, const std::string& where) {
  std::vector<Index> shape;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == ' ' || text[at] == ',') {
      ++at;
      continue;
    }
    Index length = 0;
    const std::size_t begin = at;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && at - begin < 10; ++at)
      length = 10 * length + (text[at] - '0');
    if (at == begin) broken(where, "whole numbers in the shape");
    shape.push_back(length);
  }
  return shape;
}

template <class T>
void append_numbers(std::string_view data, std::vector<double>& out) {
  for (std::size_t at = 0; at < data.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, data.data() + at, sizeof(T));
    out.push_back(static_cast<double>(value));
  }
}

std::vector<double> numbers_of(const std::string& type, std::string_view data, const std::string& where) {
  std::vector<double> out;
  if (type == "<f4")
    append_numbers<float>(data, out);
  else if (type == "<f8")
    append_numbers<double>(data, out);
  else if (type == "<i4")
    append_numbers<std::int32_t>(data, out);
  else if (type == "<i8")
    append_numbers<std::int64_t>(data, out);
  else if (type == "|b1" || type == "|u1")
    append_numbers<std::uint8_t>(data, out);
  else
    throw Unsupported(fmt::format(
        "{}: type {} is not supported; supported are <f4, <f8, <i4, <i8, |b1, |u1, <U", where, type));
  return out;
}

std::size_t width_of(const std::string& type) {
  return type == "<f4" || type == "<i4" ? 4 : type == "<f8" || type == "<i8" ? 8 : 1;
}

void add_text_array(const std::string& name, std::size_t longest, std::string_view data,
                    const std::string& where, Results& results) {
  for (std::size_t i = 0; i * longest * 4 < data.size(); ++i) {
    std::u32string text;
    for (std::size_t c = 0; c < longest; ++c) {
      const char32_t code = little(data, (i * longest + c) * 4, 4, where);
      if (code == 0) break;
      text += code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? U'\uFFFD' : code;
    }
    std::string utf8;
    for (const char32_t code : text) append_utf8(utf8, code);
    if (name == "record" && utf8.starts_with('{'))
      add_json(parse_json(utf8, where), "", results);
    else
      results.texts[data.size() == longest * 4 ? name : fmt::format("{}[{}]", name, i)] = utf8;
  }
}

void add_npy(const std::string& name, std::string_view bytes, const std::string& where, Results& results) {
  if (!bytes.starts_with("\x93NUMPY")) broken(where, "an .npy array");
  const std::uint32_t version = little(bytes, 6, 1, where);
  if (version < 1 || version > 3) broken(where, "version 1, 2 or 3 of .npy");
  const std::size_t before = version == 1 ? 10 : 12;
  const std::uint32_t length = little(bytes, 8, version == 1 ? 2 : 4, where);
  const std::string_view header = piece(bytes, before, length, where);
  const std::string_view data = bytes.substr(before + length);
  const std::string type = entry_of(header, "descr", '\'', '\'', where);
  if (header.find("'fortran_order': False") == std::string_view::npos)
    throw Unsupported(fmt::format("{}: an array in Fortran's order; supported is C's", where));
  std::vector<Index> shape = shape_in(entry_of(header, "shape", '(', ')', where), where);
  std::size_t count = 1;
  for (const Index n : shape) {
    if (n != 0 && count > most_bytes / static_cast<std::size_t>(n))
      broken(where, "at most 1 GiB in one array");
    count *= static_cast<std::size_t>(n);
  }
  if (type.starts_with("<U")) {
    const std::size_t longest = type.size() < 12 ? static_cast<std::size_t>(std::atoll(type.c_str() + 2)) : 0;
    if (longest == 0 || count > most_bytes / 4 / longest || data.size() != count * longest * 4)
      broken(where, "texts of the size its header says");
    return add_text_array(name, longest, data, where, results);
  }
  if (data.size() != count * width_of(type)) broken(where, "as many numbers as its shape says");
  results.arrays.push_back({name, std::move(shape), numbers_of(type, data, where)});
}

// One file of the directory, which is at `at`; returns where the next one is.
std::size_t add_entry(std::string_view bytes, std::size_t at, const std::string& where, Results& results) {
  if (little(bytes, at, 4, where) != 0x02014b50) broken(where, "an entry of the zip's directory");
  const std::uint32_t method = little(bytes, at + 10, 2, where), packed = little(bytes, at + 20, 4, where),
                      size = little(bytes, at + 24, 4, where), name_size = little(bytes, at + 28, 2, where),
                      extra = little(bytes, at + 30, 2, where), comment = little(bytes, at + 32, 2, where),
                      local = little(bytes, at + 42, 4, where);
  std::string name(piece(bytes, at + 46, name_size, where));
  const std::string file = fmt::format("{}: {}", where, name);
  if (little(bytes, local, 4, file) != 0x04034b50) broken(file, "the header of a file");
  const std::size_t begin = std::size_t{local} + 30 + little(bytes, std::size_t{local} + 26, 2, file) +
                            little(bytes, std::size_t{local} + 28, 2, file);
  const std::string_view data = piece(bytes, begin, packed, file);
  if (method != 0 && method != 8)
    throw Unsupported(fmt::format("{}: packed by method {}; supported are 0, 8", file, method));
  if (name.ends_with(".npy")) name.resize(name.size() - 4);
  add_npy(name, method == 0 ? data : std::string_view(inflated(data, size, file)), file, results);
  return at + 46 + name_size + extra + comment;
}

}  // namespace

void add_npz(std::string_view bytes, const std::string& where, Results& results) {
  const std::size_t end = bytes.rfind("PK\x05\x06");
  if (end == std::string_view::npos) broken(where, "a zip archive");
  piece(bytes, end, 22, where);  // the record is whole
  const std::uint32_t count = little(bytes, end + 10, 2, where);
  std::size_t at = little(bytes, end + 16, 4, where);
  for (std::uint32_t i = 0; i < count; ++i) at = add_entry(bytes, at, where, results);
}

}  // namespace headwater
