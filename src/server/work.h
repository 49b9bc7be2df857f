// The work of jobs: what is asked of an engine, told step by step.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "server/bodies.h"
#include "server/job_queue.h"

namespace headwater {

// How long methods took, so that a next one can be said before it is made.
class MethodTimes {
 public:
  void note(const std::string& model, const Report& report);
  // Of an input of so many units: in proportion to their number for fewer, to its square for more. Nothing
  // before the method has run once.
  std::optional<double> seconds(const std::string& model, const MethodSpec& method, std::size_t units) const;

 private:
  struct Measured {
    double seconds = 0;
    std::size_t units = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Measured> times_;  // by model and method
};

using SharedEngine = std::shared_ptr<const Engine>;

// `times` must outlive the job.
JobWork explaining(SharedEngine engine, std::string model, AskedExplanation asked, MethodTimes& times);
JobWork growing_a_tree(SharedEngine engine, AskedTree asked);
JobWork evaluating(SharedEngine engine, AskedEvaluation asked);
JobWork predicting(SharedEngine engine, AskedPrediction asked);

}  // namespace headwater
