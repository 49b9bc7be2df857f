// A trial at n units takes s(n). Methods grow between n (a fixed number of runs, short inputs) and n³ (a run
// per unit over long ones), so that the growth is measured where it can be: with s(m) of a shorter trial
// known,
//
//   s(T) ≈ s(n) · (T/n)^p,   p = (3/2 + q) / 2,   q = log(s(n)/s(m)) / log(n/m) within [0, 4]
//
// half of it measured and half usual, because short times are noisy; with one trial p = 3/2. A run that was
// cut after s seconds with a share d of its work done would have taken s/d.
#include "server/method_times.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>

#include <headwater/error.h>

#include "server/model_shelf.h"
#include "study/inputs.h"

namespace headwater {

namespace {

constexpr std::size_t first_units = 16;     // of the shortest trial
constexpr double usual_power = 1.5;         // of the number of units, in a method's time
constexpr double patience = 4;              // times its limit, for a run that is nearly over by then
constexpr std::size_t kept_methods = 4096;  // options come from anybody

struct CutShort {
  double done = 0;
};

std::string key_of(const std::string& model, const MethodSpec& method) {
  std::string key = model + "\n" + method.name + "\n" + method.aggregate;
  for (const auto& [name, value] : method.options) key.append("\n").append(name).append("=").append(value);
  return key;
}

int length_class(std::size_t units) {
  return static_cast<int>(std::bit_width(units));
}

// Where a text ends after its first `keep` units.
std::string cut_after(const std::string& text, const std::vector<const Unit*>& units, std::size_t keep) {
  if (keep >= units.size()) return text;
  return text.substr(0, static_cast<std::size_t>(units[std::max<std::size_t>(keep, 1) - 1]->end));
}

class Trial {
 public:
  Trial(const Engine& engine, const MethodSpec& method, const TrialLimits& limits,
        const std::function<void(const Progress&)>& progress)
      : engine_(engine), method_(method), limits_(limits), progress_(progress) {}

  bool fits(const Input& input) const {
    return limits_.memory == 0 ||
           engine_.planned_bytes({.input = input, .methods = {method_}}) <= limits_.memory;
  }

  // Seconds of a whole run, and whether it was one.
  MethodTime run(const Input& input) const {
    const auto begin = std::chrono::steady_clock::now();
    const auto so_far = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    try {
      const auto tell = [&](const Progress& at) {
        if (progress_) progress_(at);
        const double spent = so_far(), most = patience * limits_.seconds;
        if (at.done > 0 && spent > limits_.seconds && (spent > most || spent / at.done > most))
          throw CutShort{at.done};
      };
      const Report report = engine_.explain({.input = input, .methods = {method_}, .progress = tell});
      return {report.attributions.back().seconds, true};
    } catch (const CutShort& cut) {
      return {so_far() / cut.done, false};
    }
  }

 private:
  const Engine& engine_;
  const MethodSpec& method_;
  const TrialLimits& limits_;
  const std::function<void(const Progress&)>& progress_;
};

}  // namespace

void MethodTimes::note(const std::string& model, const MethodSpec& method, std::size_t units,
                       MethodTime time) {
  if (units == 0) return;
  const std::lock_guard lock(mutex_);
  if (times_.size() >= kept_methods) times_.clear();
  times_[key_of(model, method)][length_class(units)] = {units, time};
}

std::optional<MethodTime> MethodTimes::of(const std::string& model, const MethodSpec& method,
                                          std::size_t units) const {
  const std::lock_guard lock(mutex_);
  const auto lengths = times_.find(key_of(model, method));
  if (lengths == times_.end()) return {};
  std::optional<MethodTime> nearest;
  double distance = 2;
  for (const auto& [length, known] : lengths->second) {
    const double share = static_cast<double>(units) / static_cast<double>(known.units);
    if (const double apart = std::max(share, 1 / share); apart <= distance) {
      distance = apart;
      nearest = {known.time.seconds * (share > 1 ? share * share : share), known.time.measured};
    }
  }
  return nearest;
}

std::size_t units_of_input(const Engine& engine, const Input& input) {
  const Index fixed = fixed_units(engine.info());
  return fixed > 0 ? static_cast<std::size_t>(fixed) : engine.tokenize(input).size();
}

Input beginning_of(const Engine& engine, const Input& input, std::size_t units) {
  const std::vector<Unit> all = engine.tokenize(input);
  if (all.size() <= units) return input;
  const double share = static_cast<double>(units) / static_cast<double>(all.size());
  Input shorter = input;
  std::vector<const Unit*> text, pair, prefix;
  for (const Unit& unit : all)
    if (!unit.special) (unit.sequence > 0 ? prefix : unit.segment > 0 ? pair : text).push_back(&unit);
  const auto cut = [&](const std::string& whole, const std::vector<const Unit*>& own) {
    return cut_after(whole, own, static_cast<std::size_t>(share * static_cast<double>(own.size())));
  };
  shorter.text = cut(input.text, text);
  if (input.pair) shorter.pair = cut(*input.pair, pair);
  shorter.prefix = cut(input.prefix, prefix);
  shorter.generate = 0;
  const std::string mask = mask_of(engine);
  const auto asks = [&](const Input& of) { return of.text.find(mask) != std::string::npos; };
  if (!mask.empty() && asks(input) && !asks(shorter)) shorter.text += " " + mask;
  return shorter;
}

std::optional<MethodTime> tried(const Engine& engine, const Input& input, const MethodSpec& method,
                                const TrialLimits& limits,
                                const std::function<void(const Progress&)>& progress) {
  const Trial trial(engine, method, limits, progress);
  const std::size_t whole = units_of_input(engine, input);
  const bool fixed = fixed_units(engine.info()) > 0;
  std::optional<MethodTime> last;
  std::size_t last_units = 0;
  double power = usual_power;
  try {
    for (std::size_t wanted = fixed ? whole : std::min(first_units, whole);;
         wanted = std::min(2 * wanted, whole)) {
      const Input part = wanted == whole ? input : beginning_of(engine, input, wanted);
      if (!trial.fits(part)) break;
      const MethodTime took = trial.run(part);
      const std::size_t units = wanted == whole ? whole : units_of_input(engine, part);
      if (last && units > last_units && last->seconds > 0)
        power = (usual_power +
                 std::clamp(std::log(took.seconds / last->seconds) /
                                std::log(static_cast<double>(units) / static_cast<double>(last_units)),
                            0.0, 4.0)) /
                2;
      last = took;
      last_units = units;
      if (wanted == whole) return last;
      if (!took.measured || took.seconds > limits.seconds) break;
    }
  } catch (const Error&) {
    if (!last) return {};  // the run itself will say why
  }
  if (!last) return {};
  const double longer = static_cast<double>(whole) / static_cast<double>(last_units);
  return MethodTime{last->seconds * std::pow(longer, power), false};
}

}  // namespace headwater
