// A model wired as no family is: attention and feed-forward side by side, a norm before and after each, norms
// on queries and keys. Laws and methods run over it as over the families, so that nothing rests on how a
// block is usually made.
#pragma once

#include <memory>

#include "models/model.h"

namespace headwater::testing {

enum class Direction { Both, Causal };
std::unique_ptr<Model> unusual_model(Direction direction, DType dtype);

}  // namespace headwater::testing
