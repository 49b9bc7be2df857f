// Any bytes are either an npz whose every array has as many numbers as its shape says, or an error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <headwater/error.h>

#include "files/results.h"

using namespace headwater;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Results results;
  try {
    add_npz({reinterpret_cast<const char*>(data), size}, "fuzz", results);
  } catch (const FormatError&) {
  } catch (const Unsupported&) {
  }
  for (const NamedNumbers& array : results.arrays) {
    std::size_t count = 1;
    for (const Index n : array.shape) count *= static_cast<std::size_t>(n);
    if (count != array.values.size()) std::abort();
  }
  return 0;
}
