// A map from hidden vectors to the space of the embeddings.
#pragma once

#include <memory>

#include <headwater/identify.h>

namespace headwater {

class FittedMap {
 public:
  FittedMap() = default;
  FittedMap(const FittedMap&) = delete;
  FittedMap& operator=(const FittedMap&) = delete;
  virtual ~FittedMap() = default;

  // [n, D] → [n, D'] in float64; a row depends on the same row alone.
  virtual Tensor operator()(const Tensor& hidden) const = 0;
};

class IdentityMap final : public FittedMap {
 public:
  Tensor operator()(const Tensor& hidden) const override { return hidden.to(DType::Float64); }
};

}  // namespace headwater
