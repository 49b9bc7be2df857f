// Variations: other explanations of an example that sanity checks compare with.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/evaluate.h"

namespace headwater {

// Which block a tensor belongs to, by its name ("bert.encoder.layer.3.…"): −1 what stands before the first,
// `layers` what stands behind the last.
int block_of_tensor(const std::string& name, int layers);

class Variations {
 public:
  // All that these metrics ask for; models are made once and kept.
  Variations(const Explainer& explainer, const std::vector<ChosenMetric>& metrics, std::uint64_t seed);

  bool any() const { return !wanted_.empty(); }
  // What stands where among those of explained().
  std::vector<std::size_t> of(const ChosenMetric& metric) const;
  // The reports of all, of the target that `report` explains; nothing in the place of one that has no other
  // class.
  std::vector<std::optional<Report>> explained(const Request& request, const Report& report) const;

 private:
  std::optional<Target> other_class(const Report& report) const;

  const Explainer& explainer_;
  std::vector<Variation> wanted_;
  std::map<Variation, LoadedModel> models_;
};

}  // namespace headwater
