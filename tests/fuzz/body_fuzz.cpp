// Any body of a request is either understood, within every limit, or refused by an error of the caller's: the
// first byte says for which address.
#include <cstdint>
#include <cstdlib>

#include <headwater/engine.h>
#include <headwater/error.h>

#include "server/bodies.h"

using namespace headwater;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Engine engine = Engine::load("sentiment");
  static const InputLimits limits{.tokens = 64, .pixels = 1 << 12, .memory = std::size_t{1} << 28};
  if (size == 0) return 0;
  try {
    const Json body = body_of(std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
    static_cast<void>(model_of(body));
    switch (data[0] % 5) {
      case 0:
        static_cast<void>(asked_input(body, engine, limits));
        break;
      case 1:
        if (asked_prediction(body, engine, limits).top < 1) std::abort();
        break;
      case 2:
        if (asked_explanation(body, engine, limits).methods.empty()) std::abort();
        break;
      case 3:
        static_cast<void>(asked_tree(body, engine, limits));
        break;
      default:
        if (asked_evaluation(body, engine, limits).request.examples.empty()) std::abort();
    }
  } catch (const InputError&) {
  } catch (const FormatError&) {
  } catch (const Unsupported&) {
  }
  return 0;
}
