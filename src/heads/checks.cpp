#include "heads/checks.h"

#include <algorithm>
#include <cmath>

namespace headwater {

AttentionAttribution attribute_checked(const Study& study, const AttentionAttributionOptions& options,
                                       std::vector<Check>& checks, int& unresolved) {
  AttentionAttribution found = attribute_attention(study, Objective(study, options.quantity), options);
  if (!resolved(found, options.tolerance)) ++unresolved;
  for (Check& check : attribution_checks(found, options.tolerance)) keep_worst(checks, std::move(check));
  return found;
}

Check check_same_classes(std::string name, const std::vector<int>& first, const std::vector<int>& second) {
  double different = 0;
  for (std::size_t i = 0; i < first.size(); ++i) different += first[i] != second[i] ? 1 : 0;
  return check_within(std::move(name), different, 0);
}

Check check_slope(const Study& study, const Scaled& part, double slope, const OfLogits& function) {
  const DType dtype = study.info().dtype;
  const bool single = dtype == DType::Float32;
  const double h = single ? 1e-2 : 1e-4;
  Check check{.name = "gradient equals a difference quotient", .bound = single ? 0.02 : 1e-4};
  if (slope == 0) return check;
  double largest = 1;  // the function is rounded as the logits it is made of are
  const double difference = scaled_difference(study, part, h, [&](const Tensor& logits) {
    for (const double z : logits.to_doubles()) largest = std::max(largest, std::abs(z));
    return function(logits);
  });
  check.value = std::abs(difference / slope - 1);
  check.bound += 64 * epsilon_of(dtype) * largest / (h * std::abs(slope));
  check.passed = check.value <= check.bound;
  return check;
}

}  // namespace headwater
