// The checkpoints of tests/golden/models, each with the input its expected numbers were made from.
#pragma once

#include <memory>
#include <string>

#include "models/model.h"
#include "support/source_folder.h"

namespace headwater::testing {

inline const std::string golden_folder = HEADWATER_SOURCE_DIR "/tests/golden/";

struct GoldenModel {
  std::unique_ptr<Model> model;
  Batch batch;  // one row
};
GoldenModel golden_model(const std::string& name, DType dtype = DType::Float64);

}  // namespace headwater::testing
