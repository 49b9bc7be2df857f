#include "cli/accuracy.h"

#include <numeric>

#include <fmt/format.h>
#include <headwater/error.h>

#include "evaluation/run/evaluate.h"
#include "numerics/wilson.h"

namespace headwater {

void Accuracy::add(const std::string& gold, const Prediction& prediction) {
  const bool classifier = info_.task == Task::TextClassification || info_.task == Task::ImageClassification;
  if (gold.empty() || !classifier || prediction.outcomes.empty() || !unknown_.empty()) return;
  try {
    const int wanted = gold_index(info_, names_, gold);
    hits_.push_back(prediction.outcomes.front().top.front().index == wanted ? 1 : 0);
  } catch (const InputError& error) {
    unknown_ = error.what();
  }
}

std::string Accuracy::text() const {
  if (!unknown_.empty())
    return fmt::format("no accuracy: {}; --gold-label FILE'S=MODEL'S maps a label to the model's", unknown_);
  if (hits_.empty()) return {};
  const int right = std::accumulate(hits_.begin(), hits_.end(), 0);
  const auto trials = static_cast<double>(hits_.size());
  const Interval within = wilson_interval(right / trials, trials);
  return fmt::format("accuracy {:.1f} % (95 % interval {:.1f} to {:.1f} %): {} of {} labelled inputs",
                     100 * right / trials, 100 * within.low, 100 * within.high, right, hits_.size());
}

}  // namespace headwater
