#include "base/parallel.h"

#include <algorithm>
#include <exception>

#include <omp.h>

namespace headwater {

int thread_count() {
  return omp_get_max_threads();
}

void set_thread_count(int threads) {
  omp_set_num_threads(threads > 0 ? threads : omp_get_num_procs());
}

void parallel_for(std::int64_t n, std::int64_t grain,
                  const std::function<void(std::int64_t, std::int64_t)>& body) {
  if (n <= 0) return;
  const std::int64_t most = std::max<std::int64_t>(1, n / std::max<std::int64_t>(1, grain));
  const int threads = static_cast<int>(std::min<std::int64_t>(thread_count(), most));
  if (threads <= 1 || omp_in_parallel() != 0) {
    body(0, n);
    return;
  }
  std::exception_ptr failure;
#pragma omp parallel num_threads(threads)
  {
    const std::int64_t me = omp_get_thread_num();
    const std::int64_t team = omp_get_num_threads();
    try {
      body(n * me / team, n * (me + 1) / team);
    } catch (...) {
#pragma omp critical(headwater_parallel_failure)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace headwater
