// Vectors of one register, and the choice of instruction set at run time.
//
// A kernel is written once, as generic code over an instruction-set tag (`Baseline`, `Avx2`, `Avx512`),
// and `on_isa` runs the copy compiled for the widest set this processor has. Everything the kernel calls
// must be inlined into that copy, hence the attributes. No -march flag, no ifunc (sanitizers break on it).
//
// Loops are written over whole registers, with tails padded to a register, and not left to the
// vectoriser: an element is then computed by the same instructions wherever it stands, so that a row's
// bits cannot depend on its address or on its neighbours.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace headwater::kernels {

using Index = std::int64_t;

// Of functions and lambdas that must become part of the copy they are called in.
#define INLINED __attribute__((always_inline))

enum class Isa { Baseline, Avx2, Avx512 };

// The set in use: the widest the processor has, or less when limited. Matrices keep the layout they
// were made with, so the limit may change at any time; tests and benchmarks use it.
Isa isa() noexcept;
Isa widest_isa() noexcept;
void limit_isa(Isa most) noexcept;
std::string_view name_of(Isa isa);

struct Baseline {
  static constexpr int bytes = 16;
  static constexpr int tile_rows = 6;
};
struct Avx2 {
  static constexpr int bytes = 32;
  static constexpr int tile_rows = 6;
};
struct Avx512 {
  static constexpr int bytes = 64;
  static constexpr int tile_rows = 12;
};

template <class R, int Bytes>
struct VecOf {
  typedef R type __attribute__((vector_size(Bytes)));
  using Int = std::conditional_t<sizeof(R) == 4, std::int32_t, std::int64_t>;
  typedef Int mask __attribute__((vector_size(Bytes)));
};
template <class R, class I>
using Vec = typename VecOf<R, I::bytes>::type;
template <class R, class I>
using IntVec = typename VecOf<R, I::bytes>::mask;
template <class R, class I>
constexpr Index lanes = I::bytes / static_cast<Index>(sizeof(R));

template <class V, class R>
INLINED inline void load(V& v, const R* from) {
  std::memcpy(&v, from, sizeof(V));
}
template <class V, class R>
INLINED inline void store(const V& v, R* to) {
  std::memcpy(to, &v, sizeof(V));
}

template <class Body>
[[gnu::target("avx2,fma")]] inline void run_avx2(const Body& body) {
  body(Avx2{});
}
template <class Body>
[[gnu::target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]] inline void run_avx512(const Body& body) {
  body(Avx512{});
}

// Calls body(tag) compiled for `which`. The body must be an always_inline generic lambda.
template <class Body>
void on_isa(Isa which, const Body& body) {
#if defined(__x86_64__)
  if (which == Isa::Avx512) return run_avx512(body);
  if (which == Isa::Avx2) return run_avx2(body);
#endif
  body(Baseline{});
}

}  // namespace headwater::kernels
