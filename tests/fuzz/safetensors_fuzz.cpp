// Any bytes are either a safetensors file whose every tensor can be read, or a FormatError.
#include <cstdint>

#include <headwater/error.h>

#include "checkpoint/weights.h"

using namespace headwater;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto file = Safetensors::parse(std::as_bytes(std::span(data, size)), "fuzz");
    for (const DType dtype : {DType::Float32, DType::Float64}) {
      const Weights weights({file}, dtype);
      for (const auto& [name, stored] : file.tensors()) {
        try {
          weights.get(name, stored.shape);
        } catch (const FormatError&) {  // an integer type, or a number that is not finite
        }
      }
      static_cast<void>(weights.unread());
      static_cast<void>(weights.total_bytes());
    }
  } catch (const FormatError&) {
  } catch (const Unsupported&) {
  }
  return 0;
}
