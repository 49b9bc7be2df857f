// npz: a zip of .npy files. An .npy is the magic "\x93NUMPY", version 1.0, the length of a header, the header
// (a Python dict, padded with spaces so that the data starts at a multiple of 64), and the data. Texts are
// arrays of type <Un: UTF-32, each entry padded with zeros to the longest.
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/formats.h>

#include "base/utf8.h"
#include "files/arrays.h"
#include "files/schema.h"
#include "files/zip.h"
#include "result/rows.h"

namespace headwater {

namespace {

std::string npy(const std::string& type, const std::vector<Index>& shape, std::string_view data) {
  const std::string dims =
      shape.size() == 1 ? fmt::format("({},)", shape[0]) : fmt::format("({})", fmt::join(shape, ", "));
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, dims);
  constexpr std::size_t before = 10;  // magic, version, length
  header.append(63 - (before + header.size()) % 64, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  return out + header + std::string(data);
}

// Texts that are not valid UTF-8 are replaced by the JSON writer's rule.
std::u32string code_points(const std::string& text) {
  if (!first_invalid_utf8(text)) return to_utf32(text);
  return U"\uFFFD";
}

std::string unicode_npy(const std::vector<std::string>& texts, bool scalar) {
  std::vector<std::u32string> decoded;
  std::size_t longest = 1;
  for (const std::string& text : texts) {
    decoded.push_back(code_points(text));
    longest = std::max(longest, decoded.back().size());
  }
  std::string data(texts.size() * longest * 4, '\0');
  for (std::size_t i = 0; i < decoded.size(); ++i)
    std::memcpy(data.data() + i * longest * 4, decoded[i].data(), decoded[i].size() * 4);
  std::vector<Index> shape;
  if (!scalar) shape = {static_cast<Index>(texts.size())};
  return npy(fmt::format("<U{}", longest), shape, data);
}

}  // namespace

std::string to_npz(const Report& measured) {
  const Report report = viewed(measured);
  Zip zip;
  for (const Array& array : arrays_of(report)) {
    const auto dims = array.shape.dims();
    zip.add(array.name + ".npy",
            npy(std::string(names_of(array.type).npy), {dims.begin(), dims.end()}, array.bytes));
  }
  if (patches_of(report.prediction) == nullptr && !report.prediction.units.empty()) {
    std::vector<std::string> tokens;
    for (const Unit& token : report.prediction.units) tokens.push_back(token.text);
    zip.add("tokens.npy", unicode_npy(tokens, false));
  }
  zip.add("record.npy", unicode_npy({dump(head_of(report), -1)}, true));
  return std::move(zip).finish();
}

}  // namespace headwater
