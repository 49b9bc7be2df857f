// Whole pieces of work side by side, such as texts: each on one thread, because what is small inside a piece
// is not worth sharing out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace headwater {

// Calls body(i) for i = 0 … n − 1, at most thread_count() at a time, handed out one by one in their order.
// Loops inside body stay on its thread, except that a single piece has all threads. Exceptions as those of
// parallel_for (parallel.h).
void side_by_side(std::int64_t n, const std::function<void(std::int64_t)>& body);

// What inputs that are worked on side by side may take together; of larger ones each has all threads.
inline constexpr std::size_t bytes_side_by_side = std::size_t{2} << 30;

}  // namespace headwater
