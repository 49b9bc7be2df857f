// One pool of threads for everything. Results never depend on the number of threads: work is split over
// independent rows, and no reduction crosses a split.
//
// A good neighbour: threads without work look for more for some microseconds and then sleep; work is handed
// out in small pieces, so that a thread the system holds back holds up nobody but the piece it has.
#pragma once

#include <cstdint>
#include <functional>

namespace headwater {

int thread_count();
void set_thread_count(int threads);  // 0: as many as thread_budget() allows (processors.h)

// Calls body(begin, end) over disjoint ranges that cover [0, n), at most thread_count() at a time. Ranges are
// at least `grain` long, so small work stays on the calling thread, and so does all of it inside another
// parallel_for or while another thread has the pool. An exception from body is rethrown on the calling
// thread, the one of the lowest range if there are several; ranges not yet begun are left out then.
void parallel_for(std::int64_t n, std::int64_t grain,
                  const std::function<void(std::int64_t, std::int64_t)>& body);

}  // namespace headwater
