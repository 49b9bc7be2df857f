// The two small models of which relevance is worked out by hand: a post-norm encoder with a pooled [CLS] and
// a pre-norm one over patches, with weights from a hash, so that any language can make the same numbers.
#pragma once

#include <memory>
#include <vector>

#include "models/model.h"

namespace headwater::testing {

// n numbers in [−0.5, 0.5): the 32-bit finalizer of MurmurHash3 over k + seed · 0x9E3779B9.
std::vector<double> hashed(unsigned seed, Index n);

struct WorkedModel {
  std::unique_ptr<Model> model;
  Batch batch;  // its input
};

enum class Biases { Hashed, Zero };  // Zero: also the beta of the norms

// L = 2, D = 8, H = 2, F = 16, three labels, `tokens` tokens; encoder input 2√3 · hashed(7).
WorkedModel worked_bert(int tokens = 5, Biases biases = Biases::Hashed, DType dtype = DType::Float64);
// L = 2, D = 8, H = 2, F = 16, three labels; an 8 × 8 image 2 · hashed(9) in patches of 4.
WorkedModel worked_vit(Biases biases = Biases::Hashed);

}  // namespace headwater::testing
