#include "evaluation/trial/mixing.h"

#include <cmath>
#include <limits>

namespace headwater {

EvaluationValue over_layers(const Trial& trial,
                            const std::function<double(std::span<const double> row, std::size_t own)>& of) {
  EvaluationValue made{.value = std::numeric_limits<double>::quiet_NaN()};
  for (std::vector<double> map : trial.maps) {
    for (double& one : map)
      if (!std::isfinite(one)) one = 0;
    const auto tokens = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(map.size()))));
    double sum = 0;
    for (std::size_t t = 0; t < tokens; ++t) sum += of(std::span(map).subspan(t * tokens, tokens), t);
    made.curve.push_back(sum / static_cast<double>(tokens));
  }
  if (!made.curve.empty()) made.value = made.curve.back();
  return made;
}

}  // namespace headwater
