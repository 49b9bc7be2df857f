// What two models say about the same texts, as results to compare.
#pragma once

#include <string>
#include <vector>

#include <headwater/engine.h>

#include "files/results.h"

namespace headwater {

struct ModelResults {
  std::vector<MethodSpec> methods = {};  // explained by these too; empty: predictions alone
  std::function<void(const Progress&)> progress = {};
};

// Per input: tokens, the predicted label, logits (or the hidden states of a bare encoder), and the scores of
// each method for the predicted target.
Results results_of(const Engine& engine, const std::string& name, const std::vector<Input>& inputs,
                   const ModelResults& options);

}  // namespace headwater
