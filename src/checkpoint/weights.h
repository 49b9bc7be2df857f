// Weights: the tensors of a checkpoint, read by scoped name and checked shape, each widened once to the
// working type straight from the mapped file. Remembers what was read, so that nothing is left over silently.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <headwater/tensor.h>

#include "checkpoint/safetensors.h"

namespace headwater {

class Weights {
 public:
  // `files` may share names only if they are the same tensor's single home; a duplicate is a FormatError.
  Weights(std::vector<Safetensors> files, DType dtype);

  // The same names and shapes with fresh numbers, as before any training: normal with this deviation, biases
  // 0, norm weights (one axis, not a bias) 1. A tensor's numbers depend on the seed and its full name alone.
  Weights untrained(std::uint64_t seed, double deviation) const;

  // The same tensors, each after `change` was given its full name and its numbers.
  Weights changed(std::function<void(const std::string& name, Tensor& numbers)> change) const;

  Weights scope(const std::string& name) const;  // "encoder" then "layer.0" → "encoder.layer.0."
  bool has(const std::string& name) const;

  // Throws FormatError "<file>: tensor <full name>: expected [768], found [512]", or that it is missing.
  // Non-finite values are a FormatError too. A tensor read twice (tied weights) is shared while somebody holds
  // it; one that nobody does is let go when the next is read.
  Tensor get(const std::string& name, const Shape& expected) const;
  void ignore(const std::string& name) const;  // harmless here: this tensor and all below this name

  // Names never asked for, less the ones known to be harmless everywhere (position_ids and the like).
  std::vector<std::string> unread() const;
  DType dtype() const;
  std::size_t total_bytes() const;    // of all tensors in the working type
  std::size_t largest_bytes() const;  // of the largest of them

 private:
  struct State;
  std::shared_ptr<State> state_;
  std::string prefix_;
};

// A tensor of this name as before any training: see Weights::untrained.
Tensor untrained_tensor(const Shape& shape, DType dtype, const std::string& name, std::uint64_t seed,
                        double deviation);

}  // namespace headwater
