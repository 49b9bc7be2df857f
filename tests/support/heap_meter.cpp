// Replaces the global operator new and delete. What a block takes is asked of malloc, so that delete needs no
// size and what malloc rounds up is counted as well.
#include "support/heap_meter.h"

#include <atomic>
#include <cstdlib>
#include <new>

#include <malloc.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HEADWATER_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HEADWATER_SANITIZED 1
#endif
#endif

namespace {

std::atomic<std::size_t> live{0}, highest{0};

}  // namespace

namespace headwater::testing {

HeapMeter::HeapMeter() : before_(live) {
  highest = before_;
}

std::size_t HeapMeter::peak() const {
  return highest - before_;
}

}  // namespace headwater::testing

#ifdef HEADWATER_SANITIZED

bool headwater::testing::heap_is_metered() {
  return false;
}

#else

bool headwater::testing::heap_is_metered() {
  return true;
}

namespace {

void* counted(void* block) noexcept {
  if (block == nullptr) return nullptr;
  const std::size_t size = malloc_usable_size(block);
  const std::size_t now = live.fetch_add(size, std::memory_order_relaxed) + size;
  std::size_t most = highest.load(std::memory_order_relaxed);
  while (now > most && !highest.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
  return block;
}

void* take(std::size_t size) noexcept {
  return counted(std::malloc(size == 0 ? 1 : size));
}

void* take(std::size_t size, std::align_val_t alignment) noexcept {
  const auto align = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(align, (size + align - 1) / align * align));
}

void give(void* block) noexcept {
  if (block == nullptr) return;
  live.fetch_sub(malloc_usable_size(block), std::memory_order_relaxed);
  std::free(block);
}

void* or_throw(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

// The array and sized forms of the library call these.
void* operator new(std::size_t size) {
  return or_throw(take(size));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return take(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return or_throw(take(size, alignment));
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return take(size, alignment);
}
void operator delete(void* block) noexcept {
  give(block);
}
void operator delete(void* block, std::size_t) noexcept {
  give(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  give(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  give(block);
}

#endif
