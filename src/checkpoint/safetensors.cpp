// The format: 8 bytes little-endian header length N, N bytes of JSON
//   {"name": {"dtype": "F16", "shape": [2, 3], "data_offsets": [begin, end]}, …, "__metadata__": {…}}
// and then the data, which the tensors tile without holes or overlap from 0 to the end of the file.
#include "checkpoint/safetensors.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/json.h"
#include "base/utf8.h"

namespace headwater {
namespace {

constexpr std::size_t length_bytes = 8;
constexpr std::uint64_t max_header = 100'000'000;
constexpr std::size_t max_rank = 64;

struct TypeRow {
  StoredType type;
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array<TypeRow, 13> types{{
    {StoredType::F64, "F64", 8},
    {StoredType::F32, "F32", 4},
    {StoredType::F16, "F16", 2},
    {StoredType::BF16, "BF16", 2},
    {StoredType::I64, "I64", 8},
    {StoredType::I32, "I32", 4},
    {StoredType::I16, "I16", 2},
    {StoredType::I8, "I8", 1},
    {StoredType::U64, "U64", 8},
    {StoredType::U32, "U32", 4},
    {StoredType::U16, "U16", 2},
    {StoredType::U8, "U8", 1},
    {StoredType::Bool, "BOOL", 1},
}};
// Types the format knows and this program does not read.
constexpr std::array<std::string_view, 9> foreign_types{
    "F8_E4M3", "F8_E5M2", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ", "F4", "F6_E2M3", "F6_E3M2", "C64"};

const TypeRow& type_row(StoredType type) {
  return *std::find_if(types.begin(), types.end(), [&](const TypeRow& row) { return row.type == type; });
}

// One header entry being read; every message starts with file and tensor.
class Entry {
 public:
  Entry(const std::string& file, const std::string& name, const Json& json)
      : where_(fmt::format("{}: tensor {}", file, printable(name))), json_(json) {
    if (!json.is_object()) fail("an object with dtype, shape and data_offsets", printed(json));
  }

  [[noreturn]] void fail(std::string_view expected, std::string_view found) const {
    throw FormatError(fmt::format("{}: expected {}, found {}", where_, expected, found));
  }

  StoredType type() const {
    const Json& value = member("dtype");
    if (!value.is_string()) fail("dtype to be a string", printed(value));
    const auto& name = value.get_ref<const std::string&>();
    for (const TypeRow& row : types)
      if (row.name == name) return row.type;
    if (std::find(foreign_types.begin(), foreign_types.end(), name) != foreign_types.end())
      throw Unsupported(fmt::format(
          "{}: dtype {} is not supported; save the model as float32, float16 or bfloat16", where_, name));
    fail("a dtype of the safetensors format (F32, F16, BF16, I64 …)", printed(value));
  }

  Shape shape() const {
    const Json& value = member("shape");
    if (!value.is_array()) fail("shape to be a list", printed(value));
    if (value.size() > max_rank)
      fail(fmt::format("at most {} axes", max_rank), fmt::format("{}", value.size()));
    std::vector<Index> dims;
    for (const Json& dim : value) dims.push_back(static_cast<Index>(natural(dim, "a length in shape")));
    return Shape(std::move(dims));
  }

  // Bytes the shape asks for. Zero lengths are left out of the product: whatever order the lengths are
  // multiplied in later, nothing can overflow.
  std::uint64_t size(const Shape& shape, StoredType type) const {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
    std::uint64_t product = bytes_of(type);
    bool zero = false;
    for (const Index dim : shape.dims()) {
      const auto length = static_cast<std::uint64_t>(dim);
      zero = zero || length == 0;
      if (length != 0 && product > most / length) fail("a shape that fits into memory", shape.str());
      product *= std::max<std::uint64_t>(length, 1);
    }
    return zero ? 0 : product;
  }

  std::array<std::uint64_t, 2> offsets(std::uint64_t data_bytes) const {
    const Json& value = member("data_offsets");
    if (!value.is_array() || value.size() != 2) fail("data_offsets to be [begin, end]", printed(value));
    const std::array<std::uint64_t, 2> range{natural(value[0], "an offset in data_offsets"),
                                             natural(value[1], "an offset in data_offsets")};
    if (range[0] > range[1] || range[1] > data_bytes)
      fail(fmt::format("data_offsets within the {} bytes of data", data_bytes), printed(value));
    return range;
  }

 private:
  const Json& member(const std::string& key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail(key, "none");
    return *found;
  }

  std::uint64_t natural(const Json& value, std::string_view what) const {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most)
      fail(fmt::format("{} to be an integer from 0 to 2^63-1", what), printed(value));
    return value.get<std::uint64_t>();
  }

  std::string where_;
  const Json& json_;
};

// The header's text; checks the lengths before anything is parsed.
std::string_view header_of(std::span<const std::byte> bytes, const std::string& where) {
  refuse_pointer({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, where);
  if (bytes.size() < length_bytes)
    throw FormatError(
        fmt::format("{}: expected a safetensors file of at least 8 bytes, found {}", where, bytes.size()));
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
  const std::uint64_t rest = bytes.size() - length_bytes;
  if (length > max_header)
    throw FormatError(
        fmt::format("{}: expected a safetensors header of at most {} bytes, found a length of {}", where,
                    max_header, length));
  if (length > rest)
    throw FormatError(
        fmt::format("{}: expected a safetensors header of {} bytes, found only {} bytes of file after its "
                    "length; the file is cut short or not safetensors",
                    where, length, rest));
  const std::string_view header(reinterpret_cast<const char*>(bytes.data() + length_bytes), length);
  if (header.empty() || header.front() != '{')
    throw FormatError(fmt::format("{}: expected the safetensors header to start with '{{', found {}", where,
                                  header.empty() ? "nothing" : printable(header.substr(0, 1))));
  return header;
}

std::map<std::string, std::string> metadata_of(const Json& json, const std::string& where) {
  const auto fail = [&](const Json& found) {
    throw FormatError(
        fmt::format("{}: expected __metadata__ to map strings to strings, found {}", where, printed(found)));
  };
  if (!json.is_object()) fail(json);
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) fail(value);
    metadata.emplace(key, value.get<std::string>());
  }
  return metadata;
}

struct Extent {
  std::uint64_t begin, end;
  const std::string* name;
  auto operator<=>(const Extent& other) const {
    return std::pair(begin, end) <=> std::pair(other.begin, other.end);
  }
};

// Tensors tile the data: each begins where the one before it ends, and the last ends with the file.
void check_tiling(std::vector<Extent> extents, std::uint64_t data_bytes, const std::string& where) {
  std::sort(extents.begin(), extents.end());
  std::uint64_t end = 0;
  for (const Extent& extent : extents) {
    if (extent.begin != end)
      throw FormatError(
          fmt::format("{}: tensor {}: expected its data to begin at offset {}, found {} ({})", where,
                      printable(*extent.name), end, extent.begin,
                      extent.begin < end ? "it overlaps the tensor before it" : "a hole lies before it"));
    end = extent.end;
  }
  if (end != data_bytes)
    throw FormatError(
        fmt::format("{}: expected the tensors to fill the {} bytes of data, found that they end at {}", where,
                    data_bytes, end));
}

}  // namespace

std::string_view name_of(StoredType type) {
  return type_row(type).name;
}

std::size_t bytes_of(StoredType type) {
  return type_row(type).bytes;
}

Safetensors Safetensors::open(const std::string& path) {
  auto file = MappedFile::open(path);
  Safetensors result = parse(file->bytes(), path);
  result.file_ = std::move(file);
  return result;
}

Safetensors Safetensors::parse(std::span<const std::byte> bytes, const std::string& where) {
  const std::string_view header = header_of(bytes, where);
  const Json json = parse_json_unique(header, where);
  const auto data = bytes.subspan(length_bytes + header.size());

  Safetensors result;
  result.where_ = where;
  std::vector<Extent> extents;
  for (const auto& [name, value] : json.items()) {
    if (name == "__metadata__") {
      result.metadata_ = metadata_of(value, where);
      continue;
    }
    const Entry entry(where, name, value);
    const StoredType type = entry.type();
    Shape shape = entry.shape();
    const auto [begin, end] = entry.offsets(data.size());
    const std::uint64_t size = entry.size(shape, type);
    if (end - begin != size)
      entry.fail(fmt::format("{} bytes for {} {}", size, name_of(type), shape.str()),
                 fmt::format("{}", end - begin));
    const auto at =
        result.tensors_.emplace(name, StoredTensor{type, std::move(shape), data.subspan(begin, size)}).first;
    extents.push_back({begin, end, &at->first});
  }
  check_tiling(std::move(extents), data.size(), where);
  return result;
}

}  // namespace headwater
