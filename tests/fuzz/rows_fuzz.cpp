// Any bytes are lines, a table or objects of JSON per line, each row read or refused by its number, and every
// row once: the first byte says as which of them.
#include <cstdint>
#include <cstdlib>
#include <sstream>

#include <headwater/error.h>

#include "base/json.h"
#include "corpus/row_reader.h"

using namespace headwater;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto format = static_cast<RowReader::Format>(data[0] % 3);
  std::istringstream stream(std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  constexpr std::size_t longest = 4096;
  RowReader reader(stream, format, "fuzz", longest);
  std::vector<std::string> cells;
  for (std::size_t line = 0, stuck = 0; stuck < 2;) {
    try {
      if (!reader.next(cells)) break;
      if (reader.line() <= line || cells.empty()) std::abort();
      if (format == RowReader::Format::Lines && cells.front().size() > longest) std::abort();
      if (format == RowReader::Format::Lines)
        static_cast<void>(parse_json_unique(cells.front(), reader.where()));
    } catch (const InputError&) {
    } catch (const FormatError&) {
    }
    stuck = reader.line() > line ? 0 : stuck + 1;
    line = reader.line();
  }
  return 0;
}
