// Metrics against NumPy and scikit-learn on made-up trials (make_evaluation_goldens.py).
#include <cmath>

#include <gtest/gtest.h>

#include "base/json.h"
#include "evaluation/metrics/evaluation.h"
#include "support/source_folder.h"

namespace headwater {
namespace {

Json evaluation_goldens(const char* part) {
  Json goldens = read_json_file(HEADWATER_SOURCE_DIR "/tests/golden/evaluations.json")[part];
  EXPECT_FALSE(goldens.empty());
  return goldens;
}

using Given = std::map<std::string, std::string>;

// The metric, its asked-for inputs answered by the golden's game.
EvaluationValue played(const char* name, const Trial& trial, const Json& game, const Given& given = {}) {
  const Evaluation& evaluation = find_evaluation(name);
  const MethodOptions options(evaluation.name, evaluation.options, given);
  std::vector<Reply> replies;
  if (evaluation.asks != nullptr)
    for (const Perturbation& asked : evaluation.asks(trial, options)) {
      std::string key;
      for (const bool kept : asked.kept) key += kept ? '1' : '0';
      replies.push_back({.probability = game.at(key).get<double>()});
    }
  return evaluation.measure(trial, options, replies);
}

TEST(EvaluationGoldens, PerturbationsEqualNumPy) {
  for (const Json& golden : evaluation_goldens("texts")) {
    const auto scores = golden["scores"].get<std::vector<double>>();
    Sample sample;
    for (int u = 0; u < static_cast<int>(scores.size()); ++u) sample.units.push_back({u});
    const Trial trial{sample, {scores}, scores, golden["reference"].get<std::vector<double>>()};
    const auto expect = [&](const char* key, const EvaluationValue& found) {
      EXPECT_NEAR(found.value, golden[key].get<double>(), 1e-12) << key << ", " << golden["kind"];
    };
    const Json& game = golden["game"];
    expect("deletion", played("deletion", trial, game));
    expect("insertion", played("insertion", trial, game));
    expect("deletion_each", played("deletion", trial, game, {{"steps", "0"}}));
    expect("deletion_least", played("deletion", trial, game, {{"order", "least"}}));
    expect("comprehensiveness", played("comprehensiveness", trial, game));
    expect("sufficiency", played("sufficiency", trial, game));
    expect("log_odds", played("log_odds", trial, game));
    expect("top_k", played("top_k_agreement", trial, game));
  }
}

TEST(EvaluationGoldens, RationalesEqualScikitLearn) {
  for (const Json& golden : evaluation_goldens("rationales")) {
    const auto scores = golden["scores"].get<std::vector<double>>();
    Sample sample;
    sample.annotated = true;
    const auto evidence = golden["evidence"].get<std::vector<bool>>();
    for (std::size_t w = 0; w < evidence.size(); ++w)  // words of two letters and a space
      sample.words.push_back({static_cast<Index>(3 * w), static_cast<Index>(3 * w + 2), evidence[w]});
    // Two tokens a word, of which the second has the score.
    std::vector<double> row{9};
    sample.tokens.push_back({.special = true});
    for (std::size_t w = 0; w < scores.size(); ++w)
      for (Index half = 0; half < 2; ++half) {
        const Index begin = static_cast<Index>(3 * w) + half;
        sample.tokens.push_back({.begin = begin, .end = begin + 1});
        row.push_back(scores[w] - (half == 0 ? 0.25 : 0));
      }
    const Trial trial{sample, {row}, {}, {}};
    const EvaluationValue f1 = played("token_f1", trial, {}, {{"k", "3,5,10"}});  // or all, if they are fewer
    const auto expected = golden["f1"].get<std::vector<double>>();
    ASSERT_EQ(f1.curve.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(f1.curve[i], expected[i], 1e-12) << golden["kind"];
    EXPECT_NEAR(played("iou_f1", trial, {}).value, golden["iou_f1"].get<double>(), 1e-12) << golden["kind"];
    EXPECT_NEAR(played("auprc", trial, {}).value, golden["auprc"].get<double>(), 1e-12) << golden["kind"];
  }
}

// A picture of a golden, with a token before its patches.
struct PictureTrial {
  Sample sample;
  Trial trial{sample, {{100}}, {}, {}};

  explicit PictureTrial(const Json& golden) {
    sample.width = sample.height = golden["size"].get<int>();
    sample.grid_width = sample.grid_height = 3;
    sample.prefix = 1;
    sample.mask = {sample.width, sample.height, golden["mask"].get<std::vector<std::uint8_t>>()};
    for (const Json& cell : golden["grid"]) trial.rows.front().push_back(cell.get<double>());
  }
};

TEST(EvaluationGoldens, LocalisationEqualsScikitLearn) {
  for (const Json& golden : evaluation_goldens("pictures")) {
    const PictureTrial picture(golden);
    const Trial& trial = picture.trial;
    for (const char* name : {"pixel_accuracy", "mean_iou", "mask_precision", "pointing_game"}) {
      const double found = played(name, trial, {}).value;
      if (golden[name].is_null())
        EXPECT_TRUE(std::isnan(found)) << name;
      else
        EXPECT_NEAR(found, golden[name].get<double>(), 1e-12) << name << ", " << golden["kind"];
    }
  }
}

TEST(EvaluationGoldens, PicturesTogetherEqualScikitLearn) {
  std::map<std::string, std::vector<double>> sums;
  for (const Json& golden : evaluation_goldens("pictures")) {
    const PictureTrial picture(golden);
    for (const char* name : {"pixel_accuracy", "mean_iou"}) {
      const std::vector<double> parts = played(name, picture.trial, {}).parts;
      sums[name].resize(parts.size());
      for (std::size_t p = 0; p < parts.size(); ++p) sums[name][p] += parts[p];
    }
  }
  const Json together = evaluation_goldens("together");
  for (const auto& [name, parts] : sums)
    EXPECT_NEAR(find_evaluation(name).combine(parts), together[name].get<double>(), 1e-12) << name;
}

TEST(EvaluationGoldens, CuesEqualScikitLearn) {
  for (const Json& golden : evaluation_goldens("cues")) {
    const auto row = golden["row"].get<std::vector<double>>();
    const auto wanted = golden["cues"].get<std::vector<bool>>();
    Sample sample;
    for (std::size_t t = 0; t < row.size(); ++t) {
      const auto begin = static_cast<Index>(2 * t);
      sample.tokens.push_back({.begin = begin, .end = begin + 1});
      if (wanted[t]) sample.cues.push_back({begin, begin + 1});
    }
    const Trial trial{sample, {row}, {}, {}};
    const double mass = played("cue_mass", trial, {}).value;
    if (golden["cue_mass"].is_null())
      EXPECT_TRUE(std::isnan(mass));
    else
      EXPECT_NEAR(mass, golden["cue_mass"].get<double>(), 1e-12) << golden["kind"];
    EXPECT_NEAR(played("cue_precision", trial, {}).value, golden["cue_precision"].get<double>(), 1e-12)
        << golden["kind"];
  }
}

TEST(EvaluationGoldens, MixingEqualsNumPy) {
  for (const Json& golden : evaluation_goldens("mixing")) {
    const Sample sample;
    Trial trial{sample, {{}}, {}, {}};
    trial.maps = golden["maps"].get<std::vector<std::vector<double>>>();
    for (const char* name : {"self_contribution", "foreign_contributor"}) {
      const EvaluationValue found = played(name, trial, {});
      for (std::size_t l = 0; l < 2; ++l)
        EXPECT_NEAR(found.curve[l], golden[name][l].get<double>(), 1e-12) << name << ", " << golden["kind"];
      EXPECT_EQ(found.value, found.curve.back());
    }
  }
}

}  // namespace
}  // namespace headwater
