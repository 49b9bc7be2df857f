// Sample calls of an op, given by its test file. All laws of tests/laws/op_laws_test.cpp run over every
// sample of every op: each src/ops/<op>.cpp must have a src/ops/<op>_test.cpp that defines <op>_samples().
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ops/ops.h"

namespace headwater::testing {

struct OpSample {
  std::string name;
  std::vector<Tensor> inputs;                         // float64, differentiable inputs
  std::function<Var(const std::vector<Var>&)> apply;  // records the op; inputs are leaves of one tape
  // What the op adds that belongs to no input (a bias), under rules that conserve; empty: nothing.
  // Broadcast over the last axis.
  Tensor constant{};
  bool conserves = true;                        // false: no rule set of ours conserves through it
  std::vector<std::vector<Tensor>> rejected{};  // inputs whose shapes must be refused
};

// Every op's samples, by the op's file name.
std::vector<std::pair<std::string, std::vector<OpSample>>> all_op_samples();

}  // namespace headwater::testing
