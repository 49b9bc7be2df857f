// The tiny random checkpoints of tests/golden, at least one for every family, and a model wired as none of
// them is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/family.h"

namespace headwater::testing {

struct TinyModel {
  std::string name;  // the folder's
  std::unique_ptr<Model> model;
};

// One checkpoint of every head of every family of one stack, in this type, and the unusual ones.
std::vector<TinyModel> tiny_models(DType dtype);
// Those of tests/golden/encoder_decoder_models too: T5's.
std::vector<TinyModel> all_tiny_models(DType dtype);

// A random input for it: `rows` texts (or images) of `tokens` tokens; an output being written has one less.
Batch random_batch(const ModelInfo& info, int rows, int tokens, unsigned seed);

}  // namespace headwater::testing
