#include "tensor/pool.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/tensor.h>

namespace headwater {
namespace {

constexpr std::align_val_t cache_line{64};
constexpr std::size_t smallest_pooled = 4096;
constexpr std::size_t most_pooled = std::size_t{256} << 20;

// Free buffers of one size, and when one was last given back or taken.
struct Class {
  std::vector<std::byte*> buffers;
  std::uint64_t used = 0;
};

struct Pool {
  std::mutex mutex;
  std::map<std::size_t, Class> free;
  std::uint64_t calls = 0;
  std::size_t live = 0, peak = 0, pooled = 0;
  int keeps_nothing = 0;  // how many ask for it

  // Makes room for so many bytes by sizes that nobody has asked for the longest: with texts of many lengths,
  // those of lengths that are done would fill the pool.
  void make_room(std::size_t bytes) {
    while (pooled + bytes > most_pooled) {
      auto oldest = free.end();
      for (auto it = free.begin(); it != free.end(); ++it)
        if (!it->second.buffers.empty() && (oldest == free.end() || it->second.used < oldest->second.used))
          oldest = it;
      ::operator delete(oldest->second.buffers.back(), cache_line);
      oldest->second.buffers.pop_back();
      pooled -= oldest->first;
    }
  }
};

// Never destroyed: tensors with static lifetime may give their buffers back after main.
Pool& the_pool() {
  static Pool* const pool = new Pool;
  return *pool;
}

// Eight classes per power of two: at most an eighth of a buffer is wasted.
std::size_t size_class(std::size_t bytes) {
  if (bytes < smallest_pooled) return (bytes + 63) / 64 * 64;
  const std::size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

}  // namespace

namespace pool {

std::byte* take(std::size_t bytes, std::size_t& capacity) {
  if (bytes > std::numeric_limits<std::size_t>::max() / 4)
    throw InternalError(fmt::format("buffer pool: {} bytes asked for", bytes));
  capacity = std::max<std::size_t>(64, size_class(bytes));
  Pool& pool = the_pool();
  {
    const std::scoped_lock lock(pool.mutex);
    pool.live += capacity;
    pool.peak = std::max(pool.peak, pool.live);
    const auto found = pool.free.find(capacity);
    if (found != pool.free.end()) found->second.used = ++pool.calls;
    if (found != pool.free.end() && !found->second.buffers.empty()) {
      std::byte* data = found->second.buffers.back();
      found->second.buffers.pop_back();
      pool.pooled -= capacity;
      return data;
    }
  }
  void* data = ::operator new(capacity, cache_line, std::nothrow);
  if (data == nullptr) {
    const std::scoped_lock lock(pool.mutex);
    pool.live -= capacity;
    throw InputError(fmt::format(
        "out of memory: {} MiB more are needed; use a shorter input, a smaller batch or --dtype float32",
        (capacity >> 20) + 1));
  }
  return static_cast<std::byte*>(data);
}

void give(std::byte* data, std::size_t capacity) noexcept {
  Pool& pool = the_pool();
  {
    const std::scoped_lock lock(pool.mutex);
    pool.live -= capacity;
    if (capacity >= smallest_pooled && pool.keeps_nothing == 0 && capacity <= most_pooled) {
      try {
        Class& same = pool.free[capacity];
        same.buffers.reserve(same.buffers.size() + 1);
        pool.make_room(capacity);
        same.buffers.push_back(data);
        same.used = ++pool.calls;
        pool.pooled += capacity;
        return;
      } catch (const std::bad_alloc&) {  // then the buffer goes back to the system
      }
    }
  }
  ::operator delete(data, cache_line);
}

KeepNothing::KeepNothing() {
  Pool& pool = the_pool();
  const std::scoped_lock lock(pool.mutex);
  ++pool.keeps_nothing;
  for (const auto& [capacity, same] : pool.free)
    for (std::byte* data : same.buffers) ::operator delete(data, cache_line);
  pool.free.clear();
  pool.pooled = 0;
}

KeepNothing::~KeepNothing() {
  Pool& pool = the_pool();
  const std::scoped_lock lock(pool.mutex);
  --pool.keeps_nothing;
}

}  // namespace pool

PoolStatistics tensor_pool_statistics() {
  Pool& pool = the_pool();
  const std::scoped_lock lock(pool.mutex);
  return {.live_bytes = pool.live, .peak_bytes = pool.peak, .pooled_bytes = pool.pooled};
}

void reset_tensor_pool_peak() {
  Pool& pool = the_pool();
  const std::scoped_lock lock(pool.mutex);
  pool.peak = pool.live;
}

}  // namespace headwater
