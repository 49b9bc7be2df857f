// The number of threads, shared by everything. Results never depend on it.
#pragma once

#include <headwater/export.h>

namespace headwater {

HEADWATER_API int threads();
HEADWATER_API void set_threads(int count);  // 0: as many as the processors (and the system) allow

}  // namespace headwater
