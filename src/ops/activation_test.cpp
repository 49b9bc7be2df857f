#include "support/op_samples.h"
#include "support/random.h"

namespace headwater::testing {

std::vector<OpSample> activation_samples() {
  std::vector<OpSample> samples;
  for (const Activation f : {Activation::Gelu, Activation::GeluTanh, Activation::Relu, Activation::Silu,
                             Activation::Tanh, Activation::QuickGelu})
    samples.push_back({.name = std::string(name_of(f)),
                       .inputs = {random_tensor({3, 7}, 1, DType::Float64, 2)},
                       .apply = [f](const std::vector<Var>& x) { return activation(x[0], f); }});
  return samples;
}

}  // namespace headwater::testing
