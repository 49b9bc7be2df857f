// The tiny random checkpoints of tests/golden/models, at least one for every family, and a model wired as
// none of them is.
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

// One checkpoint of every head of every family, in this type, and the unusual ones.
std::vector<TinyModel> tiny_models(DType dtype);

// A random input for it: `rows` texts (or images) of `tokens` tokens.
Batch random_batch(const ModelInfo& info, int rows, int tokens, unsigned seed);

}  // namespace headwater::testing
