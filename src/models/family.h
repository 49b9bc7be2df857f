// Family: one kind of model, by the model_type of its config.json. The folder is the registry.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "models/model.h"

namespace headwater {

// Where a file keeps the output projection of a block's attention.
struct StoredProjection {
  std::string_view name;  // {} stands for the layer: "encoder.layer.{}.attention.output.dense"
  enum class Order { OutIn, InOut } order = Order::OutIn;
};

struct Family {
  std::string_view name;                        // the file's stem
  std::string_view summary;                     // one line for `headwater models`
  std::vector<std::string_view> model_types;    // config.json's model_type values it opens
  std::vector<std::string_view> architectures;  // those it opens ("BertModel", …)
  std::unique_ptr<Model> (*load)(const Checkpoint&);
  StoredProjection attention_output;  // for those who write a changed copy of a file
};

// Family::load of a model that is made from its checkpoint.
template <class M>
std::unique_ptr<Model> load_as(const Checkpoint& checkpoint) {
  return std::make_unique<M>(checkpoint);
}

std::span<const Family* const> all_families();
const Family& family_of(const ModelInfo& info);  // throws InternalError if there is none of that name

// Finds the family and loads the model; tensors it has no place for are listed in info().unread.
// Throws Unsupported naming the model_type and what is supported.
std::unique_ptr<Model> load_model(const Checkpoint& checkpoint);

}  // namespace headwater
