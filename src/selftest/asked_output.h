// One number F of a model's output and how it changes with the input, for the self-test.
#pragma once

#include <vector>

#include "models/model.h"

namespace headwater {

// A kept run of one input; F is the largest number of the last row of its output.
struct AskedOutput {
  Tape tape;
  Var logits;
  Index at = 0;  // F among the numbers of one input's output

  AskedOutput(const Model& model, const Batch& batch);
  // ∂F/∂output for this many copies.
  Tensor seed(const Tensor& output, Index copies) const;
};

struct AtPoints {
  std::vector<double> values;  // values of F, [n]
  Tensor gradients;            // [n, …], if wanted
};

enum class Want { Values, Gradients };

// F, and if wanted its gradient, when the value at `source` is replaced by each of these points, [n, …].
AtPoints at_points(const AskedOutput& asked, const Place& source, const Tensor& points, Want want);

}  // namespace headwater
