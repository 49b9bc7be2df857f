// Effective attention and hidden token attribution against NumPy and torch's reverse mode
// (make_identifiability_goldens.py) in float64, on BERT-, GPT-2-, Llama- and ViT-type checkpoints.
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

constexpr double identifiability_tolerance = 1e-9;
using Options = std::map<std::string, std::string>;

Attribution explain(const std::string& name, const Study& study, const Options& options) {
  const Method& method = find_method(name);
  return method.run(study, MethodOptions(method.name, method.options, options));
}

double worst = 0;

void expect_equal(const Tensor& found, const Json& expected) {
  ASSERT_EQ(static_cast<std::size_t>(found.size()), expected.size());
  for (Index k = 0; k < found.size(); ++k) {
    const double value = expected[static_cast<std::size_t>(k)];
    if (std::isnan(found.at(k))) {
      ASSERT_EQ(value, 0) << "only a masked cell may be NaN: " << k;
      continue;
    }
    worst = std::max(worst, std::abs(found.at(k) - value));
    ASSERT_NEAR(found.at(k), value, identifiability_tolerance) << k;
  }
}

const Tensor& detail(const Attribution& result, const std::string& name) {
  for (const Map& d : result.details)
    if (d.name == name) return d.values;
  throw std::runtime_error("no detail " + name);
}

void expect_green(const Attribution& result) {
  for (const Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name << " " << check.value;
}

TEST(IdentifiabilityGoldens, EffectiveAttentionEqualsNumPy) {
  const Json goldens = read_json_file(golden_folder + "identifiability.json");
  ASSERT_GE(goldens.size(), 5U);
  for (const Json& golden : goldens) {
    const testing::GoldenModel subject = testing::golden_model(golden["case"]);
    const Study study(*subject.model, subject.batch, {});
    for (const auto& [variant, expected] : golden["effective"].items()) {
      SCOPED_TRACE(golden["case"].get<std::string>() + " " + variant);
      Options options;
      if (!variant.empty()) options[variant] = variant == "value_bias" ? "false" : "true";
      const Attribution result = explain("effective_attention", study, options);
      expect_green(result);
      expect_equal(result.scores(), expected);
    }
  }
  std::printf("effective attention: largest difference %.1e\n", worst);
}

TEST(IdentifiabilityGoldens, HiddenTokenAttributionEqualsReverseMode) {
  const Json goldens = read_json_file(golden_folder + "identifiability.json");
  for (const Json& golden : goldens) {
    const testing::GoldenModel subject = testing::golden_model(golden["case"]);
    const Study study(*subject.model, subject.batch, {});
    const Json& expected = golden["attribution"];
    SCOPED_TRACE(golden["case"].get<std::string>());
    const Attribution plain = explain("hidden_token_attribution", study, {{"head_outputs", "true"}});
    expect_green(plain);
    expect_equal(plain.scores(), expected["frobenius"]);
    expect_equal(detail(plain, "norm"), expected["norms"]);
    expect_equal(detail(plain, "head_attribution"), expected["heads"]);
    for (const std::string norm : {"spectral", "ones", "gradxinput"}) {
      SCOPED_TRACE(norm);
      expect_equal(explain("hidden_token_attribution", study, {{"norm", norm}}).scores(), expected[norm]);
    }
    const Attribution local = explain("hidden_token_attribution", study, {{"wrt", "local"}});
    expect_green(local);
    expect_equal(local.scores(), expected["local"]);
    if (expected.contains("word"))
      expect_equal(explain("hidden_token_attribution", study, {{"wrt", "word"}}).scores(), expected["word"]);
  }
  std::printf("hidden token attribution: largest difference %.1e\n", worst);
}

}  // namespace
}  // namespace headwater
