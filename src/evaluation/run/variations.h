// Variations: other explanations of an example, with which sanity checks compare it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "evaluation/run/evaluate.h"

namespace headwater {

// The block of a tensor, by its name ("bert.encoder.layer.3.…"): −1 for what comes before the first block,
// `layers` for what comes after the last.
int block_of_tensor(const std::string& name, int layers);

class Variations {
 public:
  // Prepares all variations that these metrics need; models are made once and kept.
  Variations(const Explainer& explainer, const std::vector<ChosenMetric>& metrics, std::uint64_t seed);

  bool any() const { return !wanted_.empty(); }
  // The indices of the metric's variations among those of explained().
  std::vector<std::size_t> of(const ChosenMetric& metric) const;
  // The reports of all variations for the target that `report` explains; nothing in the place of one without
  // another class.
  std::vector<std::optional<Report>> explained(const Request& request, const Report& report) const;

 private:
  std::optional<Target> other_class(const Report& report) const;

  const Explainer& explainer_;
  std::vector<Variation> wanted_;
  std::map<Variation, LoadedModel> models_;
};

}  // namespace headwater
