// Our numbers of things are signed; the standard library counts with another type.
#pragma once

#include <cstddef>

namespace headwater {

template <class T>
constexpr std::size_t as_size(T n) {
  return static_cast<std::size_t>(n);
}

}  // namespace headwater
