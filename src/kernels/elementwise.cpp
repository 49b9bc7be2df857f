// Sums, products and the rotary turn, element by element.
#include "kernels/blocks.h"
#include "kernels/kernels.h"

namespace headwater::kernels {
namespace {

constexpr Index least_numbers = 32768;  // per thread

// y[i] = of(a[i], b[i])
template <class R, class Of>
void combine(const R* a, const R* b, R* y, Index n, const Of& of) {
  each_element<R>(n, least_numbers, y, [&](auto, Index i, Index count, auto& v) INLINED {
    auto w = v;
    load_part(v, a + i, count);
    load_part(w, b + i, count);
    of(v, w);
  });
}

}  // namespace

template <class R>
void add(const R* a, const R* b, R* y, Index n) noexcept {
  combine(a, b, y, n, [](auto& v, const auto& w) INLINED { v += w; });
}

template <class R>
void accumulate(const R* a, R* y, Index n) noexcept {
  add<R>(a, y, y, n);
}

template <class R>
void multiply(const R* a, const R* b, R* y, Index n) noexcept {
  combine(a, b, y, n, [](auto& v, const auto& w) INLINED { v *= w; });
}

template <class R>
void scale(const R* a, double factor, R* y, Index n) noexcept {
  each_element<R>(n, least_numbers, y, [&](auto, Index i, Index count, auto& v) INLINED {
    load_part(v, a + i, count);
    v *= static_cast<R>(factor);
  });
}

template <class R>
void add_bias(R* y, const R* bias, Index rows, Index n) noexcept {
  each_row(rows, n, least_numbers, [&](auto tag, Index r) INLINED {
    each_block<R, decltype(tag)>(n, [&](Index i, Index count) INLINED {
      Vec<R, decltype(tag)> v, b;
      load_part(v, y + r * n + i, count);
      load_part(b, bias + i, count);
      v += b;
      store_part(v, y + r * n + i, count);
    });
  });
}

template <class R>
void rotate(const R* x, const R* cos, const R* sin, R* y, Index rows, Index tokens, Index heads, Index e,
            int direction) noexcept {
  const Index half = e / 2;
  const R sign = static_cast<R>(direction);
  each_row(rows * heads, e, least_numbers, [&](auto tag, Index h) INLINED {
    const Index turn = h / heads % tokens * half;
    each_block<R, decltype(tag)>(half, [&](Index i, Index count) INLINED {
      Vec<R, decltype(tag)> first, second, c, s;
      load_part(first, x + h * e + i, count);
      load_part(second, x + h * e + half + i, count);
      load_part(c, cos + turn + i, count);
      load_part(s, sin + turn + i, count);
      s *= sign;
      const Vec<R, decltype(tag)> one = first * c - second * s, two = second * c + first * s;
      store_part(one, y + h * e + i, count);
      store_part(two, y + h * e + half + i, count);
    });
  });
}

template void add(const float*, const float*, float*, Index) noexcept;
template void accumulate(const float*, float*, Index) noexcept;
template void multiply(const float*, const float*, float*, Index) noexcept;
template void scale(const float*, double, float*, Index) noexcept;
template void add_bias(float*, const float*, Index, Index) noexcept;
template void rotate(const float*, const float*, const float*, float*, Index, Index, Index, Index,
                     int) noexcept;
template void add(const double*, const double*, double*, Index) noexcept;
template void accumulate(const double*, double*, Index) noexcept;
template void multiply(const double*, const double*, double*, Index) noexcept;
template void scale(const double*, double, double*, Index) noexcept;
template void add_bias(double*, const double*, Index, Index) noexcept;
template void rotate(const double*, const double*, const double*, double*, Index, Index, Index, Index,
                     int) noexcept;

}  // namespace headwater::kernels
