// One pool of threads for everything (OpenMP's). Results never depend on the number of threads: work
// is split over independent rows, and no reduction crosses a split.
#pragma once

#include <cstdint>
#include <functional>

namespace headwater {

int thread_count();
void set_thread_count(int threads);  // 0: as many as the machine has

// Calls body(begin, end) over disjoint ranges that cover [0, n). Ranges are at least `grain` long, so
// small work stays on the calling thread. An exception from body is rethrown on the calling thread.
void parallel_for(std::int64_t n, std::int64_t grain,
                  const std::function<void(std::int64_t, std::int64_t)>& body);

}  // namespace headwater
