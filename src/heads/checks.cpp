#include "heads/checks.h"

#include <algorithm>
#include <cmath>

namespace headwater {

namespace {

// Over the bound, and by how much; then the share of it.
double badness(const Check& check) {
  if (check.bound > 0) return check.value / check.bound;
  return check.passed ? 0 : 1 + check.value;
}

}  // namespace

void keep_worst(std::vector<Check>& checks, Check found) {
  for (Check& check : checks) {
    if (check.name != found.name) continue;
    if (badness(found) > badness(check)) check = std::move(found);
    return;
  }
  checks.push_back(std::move(found));
}

std::vector<Check> attribution_checks(const AttentionAttribution& found, double tolerance) {
  return {check_within("each layer sums to F(A) − F(0)", completeness_gap(found), tolerance),
          check_within("estimated error of an attribution", estimated_error(found).value_or(0), tolerance)};
}

Check check_same_classes(std::string name, const std::vector<int>& first, const std::vector<int>& second) {
  double different = 0;
  for (std::size_t i = 0; i < first.size(); ++i) different += first[i] != second[i] ? 1 : 0;
  return check_within(std::move(name), different, 0);
}

Check check_slope(const Study& study, const Scaled& part, double slope,
                  const std::function<double(const Tensor& logits)>& function) {
  const DType dtype = study.info().dtype;
  const bool single = dtype == DType::Float32;
  const double h = single ? 1e-2 : 1e-4;
  double largest = 1;  // the function is rounded as the logits it is made of are
  const auto at = [&](double scale) {
    Tape tape(Keep::Nothing, {{{part.site, part.layer}, [&](Tensor& values) {
                                 dispatch(values.dtype(), [&]<class R>(R) {
                                   R* own = values.data<R>() + part.begin;
                                   for (Index i = 0; i < part.count; ++i) own[i] *= static_cast<R>(scale);
                                 });
                               }}});
    const Tensor logits = study.model().run(tape, study.batch()).value;
    for (const double z : logits.to_doubles()) largest = std::max(largest, std::abs(z));
    return function(logits);
  };
  Check check{.name = "gradient equals a difference quotient", .bound = single ? 0.02 : 1e-4};
  if (slope == 0) return check;
  check.value = std::abs((at(1 + h) - at(1 - h)) / (2 * h) / slope - 1);
  check.bound += 64 * epsilon_of(dtype) * largest / (h * std::abs(slope));
  check.passed = check.value <= check.bound;
  return check;
}

}  // namespace headwater
