// safetensors: the length of a JSON header (8 bytes), the header, padded with spaces to a multiple of 8, and
// the arrays without gaps. Wider types come first, so that every array is aligned. Metadata values are
// strings.
#include <algorithm>

#include <headwater/formats.h>

#include "files/arrays.h"
#include "files/schema.h"
#include "result/rows.h"

namespace headwater {

std::string to_safetensors(const Report& measured) {
  const Report report = viewed(measured);
  std::vector<Array> arrays = arrays_of(report);
  std::stable_sort(arrays.begin(), arrays.end(), [](const Array& a, const Array& b) {
    return names_of(a.type).width > names_of(b.type).width;
  });
  OrderedJson header;
  header["__metadata__"]["record"] = dump(head_of(report), -1);
  if (patches_of(report.prediction) == nullptr && !report.prediction.units.empty()) {
    OrderedJson tokens = OrderedJson::array();
    for (const Unit& token : report.prediction.units) tokens.push_back(token.text);
    header["__metadata__"]["tokens"] = dump(tokens, -1);
  }
  std::size_t offset = 0;
  for (const Array& array : arrays) {
    const auto dims = array.shape.dims();
    header[array.name] = {{"dtype", names_of(array.type).safetensors},
                          {"shape", std::vector<Index>(dims.begin(), dims.end())},
                          {"data_offsets", {offset, offset + array.bytes.size()}}};
    offset += array.bytes.size();
  }
  std::string text = dump(header, -1);
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string out;
  out.reserve(8 + text.size() + offset);
  for (int i = 0; i < 8; ++i) out += static_cast<char>(text.size() >> (8 * i) & 0xff);
  out += text;
  for (const Array& array : arrays) out += array.bytes;
  return out;
}

}  // namespace headwater
