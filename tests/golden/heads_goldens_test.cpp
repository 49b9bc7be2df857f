// Heads over labelled inputs against an encoder written out in torch (make_heads_goldens.py), in float64.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "base/json.h"
#include "checkpoint/checkpoint.h"
#include "heads/importance.h"
#include "heads/pruning.h"
#include "heads/triggers.h"
#include "models/family.h"
#include "support/fakes.h"
#include "support/golden_models.h"

namespace headwater {
namespace {

using testing::golden_folder;

class HeadsGoldens : public ::testing::Test {
 protected:
  const Json golden = read_json_file(golden_folder + "heads.json");
  LoadedModel loaded{.model = load_model(open_checkpoint(
                         find_model(golden_folder + "models/bert_sequence", {}), DType::Float64)),
                     .tokenizer = std::make_shared<testing::FakeTokenizer>(std::vector<std::string>{})};
  const std::vector<Labelled> inputs = read_inputs();

  HeadMask mask_of(const Json& keep) const {
    HeadMask mask;
    for (const Json& row : keep) {
      mask.emplace_back();
      for (const Json& stays : row) mask.back().push_back(stays.get<int>() != 0);
    }
    return mask;
  }

  HeadImportance importance(const std::string& ranking) const {
    HeadImportance made{.ranking = ranking, .layers = 2, .heads = 4, .inputs = 24};
    for (const Json& row : golden["importance"][ranking])
      for (const Json& score : row) made.scores.push_back(score.get<double>());
    return made;
  }

 private:
  std::vector<Labelled> read_inputs() const {
    std::vector<Labelled> all;
    for (const Json& ids : golden["inputs"]) {
      Labelled one{.batch = Batch{.ids = {ids.get<std::vector<int>>()}},
                   .gold = golden["gold"][all.size()].get<int>()};
      const std::vector<int>& row = one.batch.ids.front();
      for (std::size_t t = 0; t < row.size(); ++t)
        one.encoding.tokens.push_back(
            {.id = row[t], .piece = std::to_string(row[t]), .special = t == 0 || t + 1 == row.size()});
      all.push_back(std::move(one));
    }
    return all;
  }
};

// attattr takes nodes until the completeness gap is 1 % of the largest attribution; on random weights the
// entries themselves are then known to about 2 %, while the golden integral has 96 nodes.
constexpr double few_nodes = 0.02;

const Advance silently = [](double) {};

TEST_F(HeadsGoldens, RankingsEqualTheirDefinitions) {
  for (const std::string& ranking : head_rankings()) {
    SCOPED_TRACE(ranking);
    const HeadImportance expected = importance(ranking);
    const HeadImportance found = head_importance(loaded, inputs, ranking, silently);
    ASSERT_EQ(found.scores.size(), expected.scores.size());
    EXPECT_EQ(found.inputs, 24);
    double largest = 0;
    for (const double score : expected.scores) largest = std::max(largest, std::abs(score));
    ASSERT_GT(largest, 1e-4);
    const double tolerance = (ranking == "attattr" ? few_nodes : 1e-9) * largest;
    for (std::size_t h = 0; h < expected.scores.size(); ++h)
      EXPECT_NEAR(found.scores[h], expected.scores[h], tolerance) << "head " << h;
  }
}

TEST_F(HeadsGoldens, MaskedClassesAreThoseOfTheMaskedModel) {
  std::vector<HeadMask> masks{all_heads(loaded.info())};
  for (const Json& one : golden["masked"]) masks.push_back(mask_of(one["keep"]));
  masks.push_back(masks[1]);  // the same one again
  const auto found = classify(loaded, inputs, masks, silently);
  EXPECT_EQ(found.front(), golden["classes"].get<std::vector<int>>());
  for (std::size_t m = 0; m < golden["masked"].size(); ++m)
    EXPECT_EQ(found[m + 1], golden["masked"][m]["classes"].get<std::vector<int>>()) << m;
  EXPECT_EQ(found.back(), found[1]);
}

TEST_F(HeadsGoldens, CurvesFollowTheRanking) {
  const HeadImportance ranking = importance("attattr");
  PruningOptions options{.random_orders = 3};
  options.rates = golden["rates"].get<std::vector<double>>();
  const std::vector<PruningCurve> curves =
      pruning_curves(loaded, inputs, {&ranking, 1}, options, silently).curves;
  ASSERT_EQ(curves.size(), 5U);
  for (std::size_t c = 0; c < 4; ++c) {
    const std::string name = curves[c].scope + " " + curves[c].order;
    EXPECT_EQ(curves[c].ranking, "attattr");
    EXPECT_EQ(curves[c].accuracy, golden["curves"][name].get<std::vector<double>>()) << name;
  }
  const PruningCurve& random = curves.back();
  EXPECT_EQ(random.ranking, "random");
  for (std::size_t r = 0; r < options.rates.size(); ++r) {
    EXPECT_LE(random.lowest[r], random.accuracy[r] + 1e-12);
    EXPECT_GE(random.highest[r], random.accuracy[r] - 1e-12);
  }
  // Nothing or everything removed: no order can matter.
  EXPECT_NEAR(random.accuracy.front(), curves[0].accuracy.front(), 1e-12);
  EXPECT_NEAR(random.accuracy.back(), curves[0].accuracy.back(), 1e-12);
}

TEST_F(HeadsGoldens, TriggersFollowTheProtocol) {
  const TriggerReport report = find_triggers(loaded, inputs, {.patterns = 100, .tolerance = 1e-6}, silently);
  const Json& expected = golden["triggers"];
  EXPECT_EQ(report.accuracy, expected["before"].get<std::vector<double>>());
  EXPECT_EQ(report.inputs[0] + report.inputs[1] + report.inputs[2], 24);
  ASSERT_EQ(report.triggers.size(), expected["found"].size());
  for (std::size_t k = 0; k < report.triggers.size(); ++k) {
    const Trigger& found = report.triggers[k];
    const Json& one = expected["found"][k];
    SCOPED_TRACE(k);
    EXPECT_EQ(found.label, loaded.info().labels[one["label"].get<std::size_t>()]);
    EXPECT_NEAR(found.strength, one["strength"].get<double>(), 2 * few_nodes * one["strength"].get<double>());
    ASSERT_EQ(found.tokens.size(), one["tokens"].size());
    for (std::size_t t = 0; t < found.tokens.size(); ++t) {
      EXPECT_EQ(found.tokens[t].id, one["tokens"][t][0].get<int>());
      EXPECT_NEAR(found.tokens[t].place, one["tokens"][t][1].get<double>(), 1e-12);
    }
    EXPECT_EQ(found.accuracy, one["accuracy"].get<std::vector<double>>());
  }
}

}  // namespace
}  // namespace headwater
