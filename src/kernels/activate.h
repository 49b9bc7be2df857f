// y = f(x) of a register of numbers: what activations.cpp and the kernels that end in an activation share.
#pragma once

#include "kernels/kernels.h"
#include "kernels/special.h"

namespace headwater::kernels {

template <class R, class V>
INLINED inline void hold(V& x) {
  x = x > R{64} ? V{} + R{64} : x;
  x = x < R{-64} ? V{} - R{64} : x;
}

// The activations of the form x · gate(x), gate = a distribution function: x becomes the gate, `rise` the
// gate's derivative.
template <class R, class I, Activation F>
INLINED inline void gate(Vec<R, I>& x, Vec<R, I>& rise) {
  using V = Vec<R, I>;
  constexpr R twice_root = static_cast<R>(1.59576912160573071176);  // 2 √(2/π)
  constexpr R cubic = static_cast<R>(0.044715), quick = static_cast<R>(1.702);
  if constexpr (F == Activation::Gelu) {
    rise = x;
    hold<R>(rise);
    rise *= R{-0.5} * rise;
    exponential<R, I>(rise);
    rise *= static_cast<R>(0.39894228040143267794);  // 1 / √(2π)
    normal_distribution<R, I>(x);
  } else if constexpr (F == Activation::GeluTanh) {
    hold<R>(x);
    const V u = twice_root * (x + cubic * x * x * x), du = twice_root * (R{1} + R{3} * cubic * x * x);
    logistic<R, I>(u, x, rise);
    rise *= du;
  } else if constexpr (F == Activation::Silu) {
    const V u = x;
    logistic<R, I>(u, x, rise);
  } else if constexpr (F == Activation::QuickGelu) {
    const V u = quick * x;
    logistic<R, I>(u, x, rise);
    rise *= quick;
  } else {
    static_assert(F == Activation::Relu);
    x = x > R{0} ? V{} + R{1} : V{};
    rise = V{};
  }
}

template <class R, class I, Activation F>
INLINED inline void value(Vec<R, I>& x) {
  if constexpr (F == Activation::Tanh) {
    hyperbolic_tangent<R, I>(x);
  } else if constexpr (F == Activation::Relu) {
    x = x < R{0} ? Vec<R, I>{} : x;  // NaN stays
  } else if constexpr (F == Activation::Gelu) {
    gelu<R, I>(x);
  } else {
    Vec<R, I> g = x, rise;
    gate<R, I, F>(g, rise);
    x *= g;
  }
}

template <Activation... F, class Body>
INLINED inline void among(Activation f, const Body& body) {
  ((f == F ? body(std::integral_constant<Activation, F>{}) : void()), ...);
}

// Calls body(constant) with the activation as a compile-time constant.
template <class Body>
INLINED inline void with_activation(Activation f, const Body& body) {
  using enum Activation;
  among<Gelu, GeluTanh, Relu, Silu, Tanh, QuickGelu>(f, body);
}

}  // namespace headwater::kernels
