// tokenizer.json from anybody, and a text to go with it: every outcome is a tokenizer or one of our errors,
// and spans lie inside the text. The input is the file, a NUL byte, and the text.
#include <cstdint>
#include <cstdlib>
#include <string>

#include <headwater/error.h>

#include "text/tokenizer.h"

namespace {

void require(bool held) {
  if (!held) std::abort();
}

void check(const headwater::Encoding& encoding) {
  for (const auto& token : encoding.tokens) {
    const std::size_t size = token.segment == 0 ? encoding.text.size() : encoding.pair.size();
    require(token.begin >= 0 && token.begin <= token.end);
    require(static_cast<std::size_t>(token.end) <= size);
    require(token.id >= 0);
    require(encoding.source(token).size() == static_cast<std::size_t>(token.end - token.begin));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = input.find('\0');
  const std::string json = input.substr(0, cut);
  const std::string text = cut == std::string::npos ? "a b" : input.substr(cut + 1);
  try {
    const auto tokenizer = headwater::Tokenizer::from_json(json, "tokenizer.json");
    const auto single = tokenizer->encode(text);
    check(single);
    check(tokenizer->encode(text, "second [MASK] text", {.truncate = true, .max_length = 9}));
    (void)tokenizer->decode(single.ids(), true);
    (void)tokenizer->vocabulary_size();
  } catch (const headwater::InternalError&) {
    throw;
  } catch (const headwater::Error&) {
    // A refusal in our own words is what a broken file deserves.
  }
  return 0;
}
