// Value zeroing against NumPy (make_value_zeroing_goldens.py), which runs every layer again for every token:
// the worked example, and tiny BERT-, GPT-2-, Llama- and ViT-type checkpoints, single heads and sets of
// tokens included.
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "base/json.h"
#include "checkpoint/checkpoint.h"
#include "methods/method.h"
#include "models/family.h"
#include "support/golden_models.h"
#include "support/value_example.h"

namespace headwater {
namespace {

using testing::golden_folder;
using testing::GoldenModel;

GoldenModel subject_of(const std::string& name, DType dtype) {
  if (name.starts_with("sine"))
    return {testing::sine_model(name == "sine_pre_norm", dtype), {.ids = {{1, 2, 3}}}};
  return testing::golden_model(name, dtype);
}

void flatten(const Json& value, std::vector<double>& to) {
  if (value.is_number()) return to.push_back(value.get<double>());
  for (const Json& part : value) flatten(part, to);
}

// |found − expected| / scale, scale = relative · expected + absolute, at its largest. A NaN stands for a
// forbidden cell, whose expected value is 0.
double worst_of(const Attribution& result, const Json& golden, double absolute) {
  std::vector<double> expected;
  flatten(golden, expected);
  EXPECT_EQ(static_cast<Index>(expected.size()), result.scores().size());
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double found = result.scores().at(static_cast<Index>(i));
    if (std::isnan(found)) {
      EXPECT_EQ(expected[i], 0) << i;
      continue;
    }
    worst = std::max(worst, std::abs(found - expected[i]) / (std::abs(expected[i]) + absolute));
  }
  return worst;
}

Attribution run(const GoldenModel& subject, std::map<std::string, std::string> options) {
  const Study study(*subject.model, subject.batch, {});
  const Method& method = find_method("value_zeroing");
  return method.run(study, MethodOptions(method.name, method.options, options));
}

TEST(ValueZeroingGoldens, EqualsNumPy) {
  const Json goldens = read_json_file(golden_folder + "value_zeroing.json");
  ASSERT_GT(goldens.size(), 30U);
  for (const DType dtype : {DType::Float64, DType::Float32}) {
    const bool wide = dtype == DType::Float64;
    double worst_raw = 0, worst_rows = 0;
    for (const Json& golden : goldens) {
      auto options = golden["options"].get<std::map<std::string, std::string>>();
      // A threshold or a rounding may fall either way in float32.
      if (!wide && options.contains("compat")) continue;
      const GoldenModel subject = subject_of(golden["case"].get<std::string>(), dtype);
      for (const char* fold : {"never", "keep"}) {
        SCOPED_TRACE(golden["case"].get<std::string>() + " " + golden["options"].dump() + " fold " + fold);
        options["fold"] = fold;
        options["normalise"] = "rows";
        if (golden.contains("rows"))
          worst_rows = std::max(worst_rows, worst_of(run(subject, options), golden["rows"], 1e-3));
        options["normalise"] = "none";
        worst_raw = std::max(worst_raw, worst_of(run(subject, options), golden["raw"], wide ? 1e-12 : 1e-5));
        ASSERT_LE(worst_raw, wide ? 1e-9 : 2e-4);
        ASSERT_LE(worst_rows, wide ? 1e-9 : 2e-4);
      }
    }
    std::printf("value zeroing in %s: relative difference of distances %.1e, of rows %.1e\n",
                wide ? "float64" : "float32", worst_raw, worst_rows);
  }
}

// Numbers of the method's description.
TEST(ValueZeroingGoldens, WorkedExample) {
  const Attribution post = run(subject_of("sine_post_norm", DType::Float64), {});
  const std::vector<double> second{.47251646, .473741,   .05374254, .22692977, .48070271,
                                   .29236752, .35386588, .55340997, .09272415};
  for (std::size_t i = 0; i < 9; ++i)
    EXPECT_NEAR(post.scores().at(9 + static_cast<Index>(i)), second[i], 6e-9) << i;
  const Attribution pre = run(subject_of("sine_pre_norm", DType::Float64), {});
  const Attribution raw = run(subject_of("sine_pre_norm", DType::Float64), {{"final_norm", "raw"}});
  const std::vector<double> normed{.21949905, .51531799, .26518296}, before{.21942122, .51545705, .26512173};
  for (Index j = 0; j < 3; ++j) {
    EXPECT_NEAR(pre.scores().at(15 + j), normed[static_cast<std::size_t>(j)], 6e-9);
    EXPECT_NEAR(raw.scores().at(15 + j), before[static_cast<std::size_t>(j)], 6e-9);
  }
}

}  // namespace
}  // namespace headwater
