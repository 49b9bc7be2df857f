// How much memory the process holds: every operator new of the test program is counted, so that nothing a
// method makes, tensor or not, escapes. Not under sanitizers, which bring their own operator new.
#pragma once

#include <cstddef>

namespace headwater::testing {

bool heap_is_metered();

// The most that was live at one time since its making, above what was live then.
class HeapMeter {
 public:
  HeapMeter();  // one at a time
  std::size_t peak() const;

 private:
  std::size_t before_;
};

}  // namespace headwater::testing
