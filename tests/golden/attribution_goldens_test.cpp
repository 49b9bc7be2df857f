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
    {"smooth_grad", "smooth_grad", {}},
    {"smooth_grad_sum",
     "smooth_grad",
     {{"samples", "13"}, {"noise", "0.3"}, {"seed", "5"}, {"reduction", "sum"}}},
    {"lime", "lime", {}},
    {"lime_wide", "lime", {{"samples", "60"}, {"kernel_width", "0.75"}, {"ridge", "0.1"}, {"seed", "7"}}},
};

// How far two lists are apart, beside 1 or beside the largest of those expected.
double difference(const Tensor& found, const std::vector<double>& expected) {
  double largest = 1, worst = 0;
  for (std::size_t t = 0; t < expected.size(); ++t) {
    largest = std::max(largest, std::abs(expected[t]));
    const double off = std::abs(found.at(static_cast<Index>(t)) - expected[t]);
    if (std::isnan(off)) return off;  // which no maximum would keep
    worst = std::max(worst, off);
  }
  return worst / largest;
}

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
      const double off = difference(result.scores(), expected);
      EXPECT_LE(off, attribution_tolerance);
      worst = std::max(worst, off);
      if (golden.contains(each.key + " error")) {
        ASSERT_EQ(result.details.at(0).name, "standard_error");
        EXPECT_LE(
            difference(result.details[0].values, golden[each.key + " error"].get<std::vector<double>>()),
            attribution_tolerance);
      }
      ++compared;
    }
  }
  EXPECT_GT(compared, 120);
  std::printf("attribution: %d results, largest difference %.1e\n", compared, worst);
}

}  // namespace
}  // namespace headwater
