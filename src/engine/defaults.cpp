// Among class-specific methods these two find the words behind an answer best (comprehensiveness,
// docs/seen-on-real-models.md and bench/comprehensiveness.py), with no relevant difference between them, and
// they are defined for every family, task and target. Integrated gradients comes first because its scores add
// up to a change of the output, which is checked. AttnLRP costs one pull and is of another kind: it
// distributes the output of this input, without a baseline.
//
// Integrated gradients needs 20 to 70 nodes for a small model and hundreds for a large one, each a forward run
// and a gradient. Fewer nodes do not help: with 8 of them the scores of 147 tokens of BERT-base miss the
// change of the output by twice that change. Where the usual number of nodes would take more than seconds,
// AttnLRP therefore answers alone. The cost is counted in multiplications, not in time, so that the same input
// gets the same methods on every machine.
#include "engine/defaults.h"

#include <algorithm>

#include <fmt/format.h>
#include <headwater/engine.h>

#include "base/as_size.h"
#include "methods/method.h"

namespace headwater {

namespace {

constexpr double usual_nodes = 64;            // that the tolerance asks for
constexpr double affordable_products = 2e11;  // for these: a second or two of two processors
constexpr double most_products = 4e11;        // for as many as the tolerance may ask for
constexpr int max_steps = 512;                // as the method's record has it

bool is_affordable(const ModelInfo& info, Index units) {
  return usual_nodes * gradient_products(info, units) <= affordable_products;
}

}  // namespace

std::vector<MethodSpec> default_methods(const ModelInfo& info) {
  const auto name = [](Role role) { return std::string(method_for(role).name); };
  if (info.task == Task::FeatureExtraction) return {{.name = name(Role::Mixing), .aggregate = "rollout"}};
  return {{.name = name(Role::Answer), .if_affordable = true}, {.name = name(Role::QuickAnswer)}};
}

double gradient_products(const ModelInfo& info, Index units) {
  double run = 0;
  const auto T = static_cast<double>(units);
  for (const Stack& stack : info.stacks) {
    const double D = stack.width, F = stack.feed_forward, E = stack.head_width;
    const double attention = D * E * (2 * stack.heads + 2 * stack.groups) + 2 * T * E * stack.heads;
    run += stack.layers * T * (attention * (stack.reads >= 0 ? 2 : 1) + 2 * D * F);
  }
  if (is_vocabulary(info.task)) run += static_cast<double>(info.last().width) * info.vocabulary;
  return 2 * run;  // a pull takes about as many as the run
}

std::vector<MethodSpec> methods_for(const Request& request, const ModelInfo& info, Index units) {
  std::vector<MethodSpec> methods = request.methods;
  if (request.budget > 0 || methods.size() == 1) return methods;
  std::erase_if(methods, [&](const MethodSpec& spec) {
    const bool bounded = spec.options.contains("steps") || spec.options.contains("max_steps");
    return spec.if_affordable && !bounded && !is_affordable(info, units);
  });
  for (MethodSpec& spec : methods) {
    const double most = most_products / gradient_products(info, units);
    if (spec.if_affordable && most < max_steps)
      spec.options.emplace("max_steps", std::to_string(static_cast<int>(most)));
  }
  return methods;
}

std::string left_out_note(const Request& request, const ModelInfo& info, Index units) {
  if (methods_for(request, info, units).size() == request.methods.size()) return {};
  return fmt::format(
      "{} is also a default method, but it was left out here because it takes some 50 to 500 times as long: "
      "name it as a method, or allow a budget of so many seconds.",
      method_for(Role::Answer).name);
}

}  // namespace headwater
