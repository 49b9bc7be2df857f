// The norm family and ALTI against NumPy (make_norm_goldens.py): plain vectors [T, T, D] from the stored
// weights and the states that torch computed, on post- and pre-norm, causal and bidirectional, LayerNorm and
// RMSNorm, grouped-query and image checkpoints. float64 within 1e-9, float32 within 1e-4.
#include <cmath>
#include <cstring>
#include <set>
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

// "attention_norm each", "alti alti_nmt", "attention_norm_res ratio": a method and one word about it.
Tensor result_of(const Study& study, const std::string& what) {
  const std::string name = what.substr(0, what.find(' '));
  const std::string more = name == what ? "" : what.substr(name.size() + 1);
  std::map<std::string, std::string> options;
  if (more == "each") options["heads"] = more;
  if (name == "alti" && !more.empty()) options["compat"] = more;
  const Method& method = find_method(name);
  const Attribution result = method.run(study, MethodOptions(method.name, method.options, options));
  for (const Check& check : result.checks)
    EXPECT_TRUE(check.passed) << what << ": " << check.name << ": " << check.value << " against "
                              << check.bound;
  return more == "ratio" ? result.details.at(0).values : result.scores();
}

void compare(DType dtype, double tolerance) {
  const Json goldens = read_json_file(golden_folder + "norms.json");
  ASSERT_GT(goldens.size(), 50U);
  std::set<std::string> cases;
  double worst = 0;
  for (const Json& golden : goldens) {
    const std::string name = golden["case"], what = golden["what"];
    SCOPED_TRACE(name + " " + what);
    cases.insert(name);
    const testing::GoldenModel subject = testing::golden_model(name, dtype);
    const Study study(*subject.model, subject.batch, {});
    const Tensor found = result_of(study, what);
    ASSERT_EQ(found.shape(), Shape(golden["shape"].get<std::vector<Index>>()));
    for (Index i = 0; i < found.size(); ++i) {
      const double expected = golden["values"][static_cast<std::size_t>(i)];
      if (std::isnan(found.at(i)))
        ASSERT_EQ(expected, 0) << "only a masked cell may be NaN";
      else
        worst = std::max(worst, std::abs(found.at(i) - expected) / std::max(1.0, std::abs(expected)));
      ASSERT_LE(worst, tolerance) << "cell " << i << ": " << found.at(i) << " and " << expected;
    }
  }
  EXPECT_EQ(cases.size(), 9U);
  std::printf("norms: %zu goldens, largest difference %.1e\n", goldens.size(), worst);
}

TEST(NormGoldens, EqualNumPyInFloat64) {
  compare(DType::Float64, 1e-9);
}

TEST(NormGoldens, EqualNumPyInFloat32) {
  compare(DType::Float32, 1e-4);
}

}  // namespace
}  // namespace headwater
