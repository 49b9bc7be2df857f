// Attention rollout against NumPy (make_rollout_goldens.py) in float64: on four matrices given there, and on
// the patterns that torch computed for tiny checkpoints, which our own engine has to reproduce on the way.
#include <cmath>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "base/json.h"
#include "checkpoint/checkpoint.h"
#include "methods/method.h"
#include "models/family.h"
#include "support/fakes.h"
#include "support/golden_models.h"

namespace headwater {
namespace {

using testing::golden_folder;
using testing::GoldenModel;

constexpr double rollout_tolerance = 1e-9;

GoldenModel patterns_of(const Json& golden) {
  if (golden.contains("patterns")) {
    ModelInfo info;
    info.last().layers = static_cast<int>(golden["patterns"].size());
    info.last().heads = 1;
    info.vocabulary = 8;
    info.positions = 8;
    info.dtype = DType::Float64;
    auto model = std::make_unique<testing::FakeModel>(info);
    model->logits = Tensor::zeros({2}, DType::Float64);
    for (const Json& layer : golden["patterns"]) {
      std::vector<double> values;
      for (const Json& row : layer) values.insert(values.end(), row.begin(), row.end());
      const auto T = static_cast<Index>(layer.size());
      model->patterns.push_back(Tensor::of({1, T, T}, values));
    }
    return {std::move(model), {.ids = {{1, 2, 3}}}};
  }
  return testing::golden_model(golden["case"]);
}

TEST(RolloutGoldens, EqualsNumPy) {
  const Json goldens = read_json_file(golden_folder + "rollout.json");
  ASSERT_GT(goldens.size(), 40U);
  const Method& method = find_method("attention_rollout");
  double worst = 0;
  for (const Json& golden : goldens) {
    SCOPED_TRACE(golden["case"].get<std::string>() + " " + golden["options"].dump());
    const GoldenModel subject = patterns_of(golden);
    const Study study(*subject.model, subject.batch, {});
    const auto given = golden["options"].get<std::map<std::string, std::string>>();
    const Attribution result = method.run(study, MethodOptions(method.name, method.options, given));
    const auto T = static_cast<Index>(golden["rollout"].size());
    ASSERT_EQ(result.scores().shape(), (Shape{subject.model->info().last().layers, T, T}));
    if (golden.contains("causal")) {
      ASSERT_EQ(subject.model->info().last().causal, golden["causal"].get<bool>());
    }
    const Index last = (subject.model->info().last().layers - 1) * T * T;
    for (Index i = 0; i < T * T; ++i) {
      const double expected =
          golden["rollout"][static_cast<std::size_t>(i / T)][static_cast<std::size_t>(i % T)];
      const double found = result.scores().at(last + i);
      if (std::isnan(found))
        ASSERT_EQ(expected, 0) << "only a masked cell may be NaN";
      else
        worst = std::max(worst, std::abs(found - expected));
      ASSERT_LE(worst, rollout_tolerance) << "cell " << i;
    }
  }
  std::printf("rollout: %zu goldens, largest difference %.1e\n", goldens.size(), worst);
}

}  // namespace
}  // namespace headwater
