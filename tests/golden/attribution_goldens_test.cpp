// Gradient and perturbation methods against torch's autograd (make_attribution_goldens.py) in float64, on
// tiny checkpoints of several families, and for labels, tokens, answers and contrasts as targets.
#include <cmath>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "base/json.h"
#include "checkpoint/checkpoint.h"
#include "methods/method.h"
#include "models/family.h"
#include "support/golden_models.h"

namespace headwater {
namespace {

using testing::golden_folder;

constexpr double attribution_tolerance = 1e-9;

Target target_of(const Json& golden) {
  Target target{.index = golden["index"].get<int>()};
  if (!golden["position"].is_null()) target.position = golden["position"].get<int>();
  if (!golden["contrast"].is_null()) target.contrast = golden["contrast"].get<int>();
  return target;
}

struct Compared {
  std::string key, method;
  std::map<std::string, std::string> options;
};

const std::vector<Compared> comparisons{
    {"saliency_l2", "saliency", {}},
    {"saliency_sum", "saliency", {{"reduction", "sum"}}},
    {"input_x_gradient", "input_x_gradient", {}},
    {"integrated_gradients", "integrated_gradients", {{"steps", "50"}}},
    {"integrated_gradients_right", "integrated_gradients", {{"steps", "20"}, {"rule", "right"}}},
    {"integrated_gradients_zero",
     "integrated_gradients",
     {{"steps", "50"}, {"baseline", "zero"}, {"special_tokens", "replace"}}},
    {"occlusion", "occlusion", {}},
    {"occlusion_delete", "occlusion", {{"replace", "delete"}}},
    {"shapley", "kernel_shap", {}},
};

TEST(AttributionGoldens, EqualAutograd) {
  const Json goldens = read_json_file(golden_folder + "attribution.json");
  ASSERT_GT(goldens.size(), 8U);
  double worst = 0;
  int compared = 0;
  for (const Json& golden : goldens) {
    const testing::GoldenModel subject = testing::golden_model(golden["case"]);
    Study study(*subject.model, subject.batch, {});
    study.special_ids.mask = golden["mask"].get<int>();
    study.aim(target_of(golden));
    for (const Compared& each : comparisons) {
      if (!golden.contains(each.key)) continue;
      SCOPED_TRACE(golden["case"].get<std::string>() + " " + each.key);
      const Method& method = find_method(each.method);
      std::map<std::string, std::string> options = each.options;
      options["quantity"] = golden["output"].get<std::string>();
      const Attribution result = method.run(study, MethodOptions(method.name, method.options, options));
      const auto expected = golden[each.key].get<std::vector<double>>();
      ASSERT_EQ(result.scores().shape(), (Shape{static_cast<Index>(expected.size())}));
      double largest = 0;
      for (const double v : expected) largest = std::max(largest, std::abs(v));
      for (std::size_t t = 0; t < expected.size(); ++t) {
        const double difference = std::abs(result.scores().at(static_cast<Index>(t)) - expected[t]);
        worst = std::max(worst, difference / std::max(1.0, largest));
        EXPECT_LE(difference, attribution_tolerance * std::max(1.0, largest)) << "token " << t;
      }
      ++compared;
    }
  }
  EXPECT_GT(compared, 80);
  std::printf("attribution: %d results, largest difference %.1e\n", compared, worst);
}

}  // namespace
}  // namespace headwater
