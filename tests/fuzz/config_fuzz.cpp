// Any text is either a config whose every key can be asked for, or a FormatError.
#include <cstdint>

#include <headwater/error.h>

#include "base/json.h"
#include "checkpoint/config.h"

using namespace headwater;

namespace {

template <class F>
void attempt(F&& read) {
  try {
    static_cast<void>(read());
  } catch (const FormatError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  attempt([&] {
    const Config config = Config::parse({reinterpret_cast<const char*>(data), size}, "fuzz");
    for (const auto& item : config.json().items()) {
      const std::string& key = item.key();
      static_cast<void>(config.has(key));
      attempt([&] { return config.integer(key); });
      attempt([&] { return config.positive(key, 1); });
      attempt([&] { return config.number(key); });
      attempt([&] { return config.boolean(key); });
      attempt([&] { return config.text(key); });
      attempt([&] { return config.texts(key); });
    }
    return config.labels();
  });
  return 0;
}
