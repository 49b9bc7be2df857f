// Rules: which linear stand-in each kind of op uses when a signal is pulled or a part is pushed.
// Data, not classes; the defaults are the exact Jacobian. A published variant is a constant in its
// method's file.
//
// Note [Relevance forms]. Under a stand-in the signal m is a multiplier, and the relevance of a value x is m
// ⊙ x. Chefer et al. (2021) is not such a walk: their residual sum needs sums over the whole tensor, and
// norms and activations pass relevance on unchanged. With `relevance` set, the signal of a pull is the
// relevance R itself, and each op distributes it by the form of that name in its file. A form may be pulled
// in float64 over a run in float32. There is no push.
#pragma once

namespace headwater {

struct Rules {
  enum class Activation { Tangent, Secant };   // f'(x) or f(x)/x
  enum class Norm { Exact, FrozenScale };      // differentiate σ, or hold it constant
  enum class Softmax { Exact, Constant };      // differentiate, or treat the pattern as given
  enum class Product { Exact, Halved };        // q·k, pattern·v and gates: each factor the whole or half
  enum class Linear { Exact, Lrp };            // W, or the ε- and γ-rule of LRP with the values below
  enum class Bias { Dropped, AbsDot };         // push: belongs to no part, or shared out among stacked parts
  enum class Relevance { None, Chefer, Lrp };  // forms of Chefer et al. and of the LRP they compare with
  enum class Guard { Plain, Reference };       // a/b, 0 where b = 0; or the public code's a/(b + 1e-9)

  Activation activation = Activation::Tangent;
  Norm norm = Norm::Exact;
  Softmax softmax = Softmax::Exact;
  Product product = Product::Exact;
  Linear linear = Linear::Exact;
  double epsilon = 0, gamma = 0;
  Bias bias = Bias::Dropped;
  Relevance relevance = Relevance::None;
  Guard guard = Guard::Plain;
  bool mask_sum = false;  // Guard::Reference: scores pass a sum with a mask of zeros, as in its BERT
};

namespace rules {
inline constexpr Rules gradient{};
}  // namespace rules

}  // namespace headwater
