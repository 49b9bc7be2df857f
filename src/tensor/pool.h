// The buffer pool behind Tensor: freed buffers are kept by size class and handed out again, because a
// forward run asks for the same few sizes over and over and fresh pages from the system cost more than
// the arithmetic of a small op. What is kept is bounded. Thread-safe.
#pragma once

#include <cstddef>

namespace headwater::pool {

// At least `bytes` bytes, aligned to a cache line. `capacity` tells how many there really are and goes
// back to `give`. Throws InputError when the system has no such memory.
std::byte* take(std::size_t bytes, std::size_t& capacity);
void give(std::byte* data, std::size_t capacity) noexcept;

// While one lives, no freed buffer is kept, those kept so far go back to the system, and what tensors hold is
// what they use: for a run whose memory is bounded, or measured. Of the whole process, like the pool.
class KeepNothing {
 public:
  KeepNothing();
  KeepNothing(const KeepNothing&) = delete;
  KeepNothing& operator=(const KeepNothing&) = delete;
  ~KeepNothing();
};

}  // namespace headwater::pool
