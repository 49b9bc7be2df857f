// How long a method will take on a model: what it took, or before its first run what a short trial says.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include <headwater/engine.h>

namespace headwater {

struct MethodTime {
  double seconds = 0;
  bool measured = false;  // a whole run of about this length took so long; otherwise a trial was cut short
};

// Times by model, method with its options, and length of the input. Thread-safe; of bounded size.
class MethodTimes {
 public:
  void note(const std::string& model, const MethodSpec& method, std::size_t units, MethodTime time);
  // Of an input of so many units, from one between half and twice as long: in proportion to the number of
  // units for fewer, to its square for more. Nothing where no such input is known.
  std::optional<MethodTime> of(const std::string& model, const MethodSpec& method, std::size_t units) const;

 private:
  struct Known {
    std::size_t units = 0;
    MethodTime time;
  };
  mutable std::mutex mutex_;
  std::map<std::string, std::map<int, Known>>
      times_;  // by model and method, then by power of two of the units
};

struct TrialLimits {
  double seconds = 0.25;   // after which a run is cut where the method says that much is left
  std::size_t memory = 0;  // bytes a run may plan beyond the weights; 0: no bound
};

// A method tried on the beginning of an input, then on twice as much of it, until a run fills its time or the
// whole input has been run. What is longer than the last run is extrapolated from the growth between the last
// two. Explains the prediction, whatever the target. `progress` may throw what ends it. Nothing where the
// method or the model refuses the input, or not even the beginning fits into memory.
std::optional<MethodTime> tried(const Engine& engine, const Input& input, const MethodSpec& method,
                                const TrialLimits& limits,
                                const std::function<void(const Progress&)>& progress = {});

// The beginning of an input, of about so many units: every text in its proportion, a mask kept.
Input beginning_of(const Engine& engine, const Input& input, std::size_t units);
// How many units an input has.
std::size_t units_of_input(const Engine& engine, const Input& input);

}  // namespace headwater
