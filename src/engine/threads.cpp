#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/threads.h>

#include "base/parallel.h"

namespace headwater {

int threads() {
  return thread_count();
}

void set_threads(int count) {
  if (count < 0)
    throw InputError(fmt::format("threads: expected 0 (as many as are usable) or more, found {}", count));
  set_thread_count(count);
}

}  // namespace headwater
