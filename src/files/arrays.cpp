#include "files/arrays.h"

#include <bit>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "files/schema.h"
#include "result/rows.h"

namespace headwater {

namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

template <class T>
std::string bytes_of_values(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

Array array_of(const Tensor& scores, const std::string& name) {
  Array array{name, scores.dtype() == DType::Float32 ? ArrayType::Float32 : ArrayType::Float64,
              scores.shape(), std::string(scores.bytes(), '\0')};
  dispatch(scores.dtype(), [&](auto r) {
    if (!array.bytes.empty())
      std::memcpy(array.bytes.data(), scores.template data<decltype(r)>(), array.bytes.size());
  });
  return array;
}

Array array_of(const std::vector<bool>& flags, const std::string& name) {
  std::string bytes;
  for (const bool flag : flags) bytes += flag ? '\1' : '\0';
  return {name, ArrayType::Bool, {static_cast<Index>(flags.size())}, bytes};
}

}  // namespace

std::vector<Array> arrays_of(const Report& report) {
  std::vector<Array> arrays;
  std::map<std::string, int> seen;
  for (const Attribution& attribution : report.attributions) {
    std::string name = name_of(attribution);
    if (const int count = ++seen[name]; count > 1) name = fmt::format("{}_{}", name, count);
    for (const Map& map : attribution.maps)
      if (!map.values.empty())
        arrays.push_back(array_of(map.values, map.name.empty() ? name : name + "." + map.name));
    if (has_axis(attribution, Axis::Query) && !attribution.answer.empty())
      arrays.push_back(array_of(attribution.answer, name + ".answer"));
    if (!attribution.measured.empty()) arrays.push_back(array_of(attribution.measured, name + ".measured"));
    for (const Map& detail : attribution.details)
      if (!detail.values.empty()) arrays.push_back(array_of(detail.values, name + "." + detail.name));
  }
  const std::vector<Unit>& tokens = report.prediction.units;
  if (!tokens.empty() && patches_of(report.prediction) == nullptr) {
    std::vector<std::int64_t> offsets;
    std::vector<std::int32_t> ids, words, sequences;
    std::vector<bool> special;
    for (const Unit& token : tokens) {
      ids.push_back(token.id);
      offsets.insert(offsets.end(), {token.begin, token.end});
      words.push_back(token.word);
      sequences.push_back(sequence_id(token));
      special.push_back(token.special);
    }
    const auto T = static_cast<Index>(tokens.size());
    arrays.push_back({"token_ids", ArrayType::Int32, {T}, bytes_of_values(ids)});
    arrays.push_back({"offsets", ArrayType::Int64, {T, 2}, bytes_of_values(offsets)});
    arrays.push_back(array_of(special, "special_mask"));
    arrays.push_back({"word_ids", ArrayType::Int32, {T}, bytes_of_values(words)});
    arrays.push_back({"sequence_ids", ArrayType::Int32, {T}, bytes_of_values(sequences)});
  }
  if (!report.prediction.logits.empty())
    arrays.push_back({"logits",
                      ArrayType::Float64,
                      {static_cast<Index>(report.prediction.logits.size())},
                      bytes_of_values(report.prediction.logits)});
  return arrays;
}

}  // namespace headwater
