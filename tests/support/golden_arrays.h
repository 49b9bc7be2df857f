// What transformers computed, as the goldens' scripts store it, and how far ours is from it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "checkpoint/safetensors.h"

namespace headwater {

// One expected*.safetensors.
class Expected {
 public:
  explicit Expected(const std::filesystem::path& file) : file_(Safetensors::open(file.string())) {}

  bool has(const std::string& name) const { return file_.tensors().contains(name); }

  Tensor array(const std::string& name) const {
    return widen(file_.tensors().at(name), DType::Float64, file_.where() + ": " + name);
  }

  // [k, ...] of an array whose first axis counts layers.
  Tensor layer(const std::string& name, Index k) const {
    const Tensor all = array(name);
    return all.rows(k, 1).reshaped(all.shape().without_front());
  }

  std::vector<std::vector<int>> ids(const std::string& name) const {
    const StoredTensor& stored = file_.tensors().at(name);
    const Index rows = stored.shape[0], columns = stored.shape[1];
    std::vector<std::int64_t> flat(static_cast<std::size_t>(rows * columns));
    std::memcpy(flat.data(), stored.bytes.data(), stored.bytes.size());
    std::vector<std::vector<int>> result;
    for (Index r = 0; r < rows; ++r) {
      const auto begin = flat.begin() + r * columns;
      result.emplace_back();
      std::transform(begin, begin + columns, std::back_inserter(result.back()),
                     [](std::int64_t id) { return static_cast<int>(id); });
    }
    return result;
  }

  Index integer(const std::string& name) const {
    std::int64_t value = 0;
    std::memcpy(&value, file_.tensors().at(name).bytes.data(), sizeof value);
    return value;
  }

 private:
  Safetensors file_;
};

// The largest difference seen, and how many numbers were compared at all.
class Worst {
 public:
  void compare(const std::string& what, const Tensor& found, const Tensor& expected, double tolerance) {
    ASSERT_EQ(found.shape(), expected.shape()) << what;
    ASSERT_GT(found.size(), 0) << what;
    double largest = 0;
    for (Index k = 0; k < found.size(); ++k) {
      const double difference = std::abs(found.at(k) - expected.at(k));
      largest = std::isfinite(difference) ? std::max(largest, difference) : HUGE_VAL;
    }
    EXPECT_LE(largest, tolerance) << what << " differs from transformers";
    compared_ += found.size();
    if (largest >= difference_) {
      difference_ = largest;
      where_ = what;
    }
  }

  Index compared() const { return compared_; }
  double difference() const { return difference_; }
  const std::string& where() const { return where_; }

 private:
  double difference_ = 0;
  std::string where_;
  Index compared_ = 0;
};

inline double largest_of(const Tensor& x) {
  double largest = 0;
  for (Index k = 0; k < x.size(); ++k) largest = std::max(largest, std::abs(x.at(k)));
  return largest;
}

}  // namespace headwater
