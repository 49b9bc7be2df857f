// Rules: which linear stand-in each kind of op uses when a signal is pulled or a part is pushed.
// Data, not classes; the defaults are the exact Jacobian. A published variant is a constant in its
// method's file.
#pragma once

namespace headwater {

struct Rules {
  enum class Activation { Tangent, Secant };  // f'(x) or f(x)/x
  enum class Norm { Exact, FrozenScale };     // differentiate σ, or hold it constant
  enum class Softmax { Exact, Constant };     // differentiate, or treat the pattern as given
  enum class Product { Exact, Halved };       // q·k, pattern·v and gates: each factor the whole or half

  Activation activation = Activation::Tangent;
  Norm norm = Norm::Exact;
  Softmax softmax = Softmax::Exact;
  Product product = Product::Exact;
};

namespace rules {
inline constexpr Rules gradient{};
}  // namespace rules

}  // namespace headwater
