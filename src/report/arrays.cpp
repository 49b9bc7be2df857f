#include "report/arrays.h"

#include <bit>
#include <cstring>
#include <map>

#include <fmt/format.h>

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

}  // namespace

std::vector<Array> arrays_of(const Report& report) {
  std::vector<Array> arrays;
  std::map<std::string, int> seen;
  for (const Attribution& attribution : report.attributions) {
    const int count = ++seen[attribution.method];
    const std::string name =
        count == 1 ? attribution.method : fmt::format("{}_{}", attribution.method, count);
    if (!attribution.scores.empty()) arrays.push_back(array_of(attribution.scores, name));
    for (const Detail& detail : attribution.details)
      if (!detail.values.empty()) arrays.push_back(array_of(detail.values, name + "." + detail.name));
  }
  const std::vector<TokenView>& tokens = report.prediction.tokens;
  if (!tokens.empty()) {
    std::vector<std::int64_t> offsets;
    std::vector<std::int32_t> ids, words;
    std::string special;
    for (const TokenView& token : tokens) {
      ids.push_back(token.id);
      offsets.insert(offsets.end(), {token.begin, token.end});
      words.push_back(token.word);
      special += token.special ? '\1' : '\0';
    }
    const auto T = static_cast<Index>(tokens.size());
    arrays.push_back({"token_ids", ArrayType::Int32, {T}, bytes_of_values(ids)});
    arrays.push_back({"offsets", ArrayType::Int64, {T, 2}, bytes_of_values(offsets)});
    arrays.push_back({"special_mask", ArrayType::Bool, {T}, special});
    arrays.push_back({"word_ids", ArrayType::Int32, {T}, bytes_of_values(words)});
  }
  if (!report.prediction.logits.empty())
    arrays.push_back({"logits",
                      ArrayType::Float64,
                      {static_cast<Index>(report.prediction.logits.size())},
                      bytes_of_values(report.prediction.logits)});
  return arrays;
}

}  // namespace headwater
