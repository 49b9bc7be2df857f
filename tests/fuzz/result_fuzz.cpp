// Any JSON is either a result that a figure can be drawn of, or an error that says why not. Half of the
// changes are made to its parts, or hardly any text would get past the parser.
#include <cstdint>
#include <cstring>
#include <string_view>

#include <headwater/error.h>

#include "base/json.h"
#include "drawing/kept_figure.h"
#include "image/image.h"
#include "support/json_mutations.h"

using namespace headwater;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto white = [](const Report&) {
    return encode_png({.width = 16, .height = 16, .rgb = std::vector<std::uint8_t>(3 * 16 * 16, 255)});
  };
  Json json;
  try {
    json = parse_json(text, "fuzz");
  } catch (const FormatError&) {
    return 0;
  }
  for (const char* kind : {"", "grid", "matrix", "heads", "flow"}) {
    KeptFigure asked{.kind = kind, .picture = white};
    asked.how.all_heads = std::string_view(kind) == "grid" && size % 2 == 0;
    try {
      static_cast<void>(figure_of(json, "fuzz", asked));
    } catch (const FormatError&) {
      if (*kind != 0) continue;
      return 0;  // no kind will do
    } catch (const InputError&) {
    }
  }
  return 0;
}

#ifdef HEADWATER_FUZZER
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  try {
    const Json json = parse_json({reinterpret_cast<const char*>(data), size}, "fuzz");
    std::vector<Json::json_pointer> places;
    testing::add_places(json, Json::json_pointer(), places);
    if (places.empty()) return LLVMFuzzerMutate(data, size, max_size);
    const std::string made = testing::damaged(json, places[seed / 2 % places.size()],
                                              seed / 2 / places.size() % testing::ways_to_damage())
                                 .dump(-1, ' ', false, Json::error_handler_t::replace);
    if (made.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
    std::memcpy(data, made.data(), made.size());
    return made.size();
  } catch (const std::exception&) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
}
#endif
