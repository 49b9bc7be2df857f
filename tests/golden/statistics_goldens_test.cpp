// Intervals, paired tests and ranking qualities against NumPy, SciPy and scikit-learn
// (make_statistics_goldens.py).
#include <cmath>

#include <gtest/gtest.h>

#include "base/json.h"
#include "numerics/bootstrap.h"
#include "numerics/paired_tests.h"
#include "numerics/ranking_quality.h"
#include "support/source_folder.h"

namespace headwater {
namespace {

using Numbers = std::vector<double>;

Json statistics_goldens(const char* part) {
  Json goldens = read_json_file(HEADWATER_SOURCE_DIR "/tests/golden/statistics.json")[part];
  EXPECT_FALSE(goldens.empty());
  return goldens;
}

TEST(StatisticsGoldens, IntervalsEqualNumPy) {
  for (const Json& golden : statistics_goldens("intervals")) {
    const Interval interval =
        bootstrap_mean(golden["values"].get<Numbers>(), {.resamples = golden["resamples"].get<int>(),
                                                         .level = golden["level"].get<double>(),
                                                         .seed = golden["seed"].get<std::uint64_t>()});
    EXPECT_NEAR(interval.low, golden["interval"][0].get<double>(), 1e-13);
    EXPECT_NEAR(interval.high, golden["interval"][1].get<double>(), 1e-13);
  }
}

TEST(StatisticsGoldens, SignedRanksEqualSciPy) {
  for (const Json& golden : statistics_goldens("wilcoxon")) {
    const double p = golden["p"].get<double>();
    EXPECT_NEAR(wilcoxon_p(golden["differences"].get<Numbers>()), p, 1e-12 + 1e-10 * p) << golden["kind"];
  }
}

TEST(StatisticsGoldens, PermutationsEqualSciPy) {
  for (const Json& golden : statistics_goldens("permutation"))
    EXPECT_NEAR(sign_permutation_p(golden["differences"].get<Numbers>()), golden["p"].get<double>(), 1e-12);
}

TEST(StatisticsGoldens, HolmEqualsItsDefinition) {
  for (const Json& golden : statistics_goldens("holm")) {
    const Numbers adjusted = holm_adjusted(golden["p"].get<Numbers>());
    const Numbers expected = golden["adjusted"].get<Numbers>();
    ASSERT_EQ(adjusted.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(adjusted[i], expected[i], 1e-14);
  }
}

TEST(StatisticsGoldens, RankingQualitiesEqualScikitLearn) {
  for (const Json& golden : statistics_goldens("ranking")) {
    const auto scores = golden["scores"].get<Numbers>();
    const auto wanted = golden["wanted"].get<std::vector<bool>>();
    EXPECT_NEAR(average_precision(scores, wanted), golden["average_precision"].get<double>(), 1e-13)
        << golden["kind"];
    EXPECT_NEAR(precision_recall_area(scores, wanted), golden["area"].get<double>(), 1e-13) << golden["kind"];
  }
}

TEST(StatisticsGoldens, AreasEqualNumPy) {
  for (const Json& golden : statistics_goldens("areas"))
    EXPECT_NEAR(trapezoid_area(golden["x"].get<Numbers>(), golden["y"].get<Numbers>()),
                golden["area"].get<double>(), 1e-14);
}

}  // namespace
}  // namespace headwater
