// Evaluation through the facade, on the shipped sentiment model: its numbers against plain predictions of
// texts with [MASK] written into them.
#include "evaluation/run/evaluate.h"

#include <cmath>

#include <gtest/gtest.h>
#include <headwater/engine.h>

#include "base/parallel.h"
#include "evaluation/run/variations.h"
#include "support/shipped_engines.h"

namespace headwater {
namespace {

using testing::sentiment;

const std::vector<std::string>& some_texts() {
  static const std::vector<std::string> texts{"the film is not bad", "a dull plot", "fun",
                                              "an old man and a warm song", "the acting is great fun"};
  return texts;
}

EvaluateRequest evaluation_request(std::vector<MetricSpec> metrics, std::vector<MethodSpec> methods) {
  EvaluateRequest request{.methods = std::move(methods), .metrics = std::move(metrics), .resamples = 200};
  for (const std::string& text : some_texts()) request.examples.push_back({.input = {.text = text}});
  return request;
}

double probability_of(const std::string& text, int label) {
  const Prediction predicted = sentiment().predict({.text = text});  // outlives the loop
  for (const Score& score : predicted.outcomes.front().top)
    if (score.index == label) return score.probability;
  return -1;
}

std::string with_masks(const std::vector<Unit>& tokens, const std::vector<bool>& gone) {
  std::string text;
  for (std::size_t t = 0; t < tokens.size(); ++t)
    if (!tokens[t].special) text += gone[t] ? "[MASK] " : tokens[t].text + " ";
  return text;
}

TEST(Evaluate, EqualsPredictionsOfMaskedTexts) {
  std::vector<ExampleValues> kept;
  EvaluateRequest request = evaluation_request(
      {{"comprehensiveness", {{"shares", "50"}}}, {"sufficiency", {{"shares", "50"}}}}, {{"saliency"}});
  request.keep = [&](const ExampleValues& values) { kept.push_back(values); };
  const EvaluateReport report = sentiment().evaluate(request);
  ASSERT_EQ(kept.size(), some_texts().size());
  double mean = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Report explained =
        sentiment().explain({.input = Input{.text = some_texts()[i]}, .methods = {{"saliency"}}});
    const std::vector<Unit>& tokens = explained.prediction.units;
    const std::vector<double> scores = explained.attributions.front().scores().to_doubles();
    std::vector<std::size_t> words;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      EXPECT_EQ(tokens[t].text, tokens[t].special ? tokens[t].text : tokens[t].piece) << "one piece per word";
      if (!tokens[t].special) words.push_back(t);
    }
    std::stable_sort(words.begin(), words.end(),
                     [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    std::vector<bool> gone(tokens.size(), false), left(tokens.size(), true);
    for (std::size_t k = 0; k < (words.size() + 1) / 2; ++k) {
      gone[words[k]] = true;
      left[words[k]] = false;
    }
    const int label = explained.target.index;
    const double whole = probability_of(some_texts()[i], label);
    EXPECT_NEAR(kept[i].values[0][0].value, whole - probability_of(with_masks(tokens, gone), label), 1e-6);
    EXPECT_NEAR(kept[i].values[1][0].value, whole - probability_of(with_masks(tokens, left), label), 1e-6);
    mean += kept[i].values[0][0].value / static_cast<double>(kept.size());
  }
  ASSERT_EQ(report.cells.size(), 4U) << "two metrics, the method and the random explanation";
  EXPECT_NEAR(report.cells[0].value, mean, 1e-15);
  EXPECT_LE(report.cells[0].low, report.cells[0].value);
  EXPECT_GE(report.cells[0].high, report.cells[0].value);
  EXPECT_EQ(report.methods, (std::vector<std::string>{"saliency", "random"}));
}

void expect_equal(const EvaluateReport& a, const EvaluateReport& b) {
  ASSERT_EQ(a.cells.size(), b.cells.size());
  for (std::size_t i = 0; i < a.cells.size(); ++i) {
    EXPECT_EQ(a.cells[i].value, b.cells[i].value) << a.cells[i].metric;
    EXPECT_EQ(a.cells[i].low, b.cells[i].low);
    EXPECT_EQ(a.cells[i].high, b.cells[i].high);
    EXPECT_EQ(a.cells[i].curve, b.cells[i].curve);
  }
  ASSERT_EQ(a.pairs.size(), b.pairs.size());
  for (std::size_t i = 0; i < a.pairs.size(); ++i) EXPECT_EQ(a.pairs[i].adjusted, b.pairs[i].adjusted);
}

TEST(Evaluate, GoesOnWhereItStoppedAndDoesNotDependOnThreads) {
  EvaluateRequest request = evaluation_request({{"deletion"}, {"insertion"}, {"infidelity"}},
                                               {{"input_x_gradient"}, {"attention_rollout"}});
  std::vector<ExampleValues> kept;
  request.keep = [&](const ExampleValues& values) { kept.push_back(values); };
  set_thread_count(1);
  const EvaluateReport whole = sentiment().evaluate(request);
  set_thread_count(2);
  for (const std::size_t done : {0U, 1U, 3U, 5U}) {
    EvaluateRequest rest = request;
    rest.before.assign(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(done));
    rest.keep = nullptr;
    expect_equal(whole, sentiment().evaluate(rest));
  }
  set_thread_count(0);
}

// Random explanations and subsets go by an example's number among all.
TEST(Evaluate, ShardsMeasureWhatTheWholeDoes) {
  EvaluateRequest request = evaluation_request({{"deletion"}, {"infidelity"}}, {{"saliency"}});
  std::vector<ExampleValues> whole, joined(some_texts().size());
  request.keep = [&](const ExampleValues& values) { whole.push_back(values); };
  sentiment().evaluate(request);
  request.keep = [&](const ExampleValues& values) { joined[values.example] = values; };
  for (std::size_t index = 0; index < 7; ++index) {
    request.shard = {.index = index, .count = 7};
    EXPECT_TRUE(sentiment().evaluate(request).cells.empty());
    EXPECT_EQ(sentiment().plan_evaluate(request).examples, index < some_texts().size() ? 1U : 0U);
  }
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (std::size_t k = 0; k < 2; ++k)
      for (std::size_t m = 0; m < 2; ++m) {
        ASSERT_EQ(joined[i].values.size(), 2U);
        EXPECT_EQ(joined[i].values[k][m].value, whole[i].values[k][m].value) << i << " " << k << " " << m;
      }
}

TEST(Evaluate, EveryReplacementGivesItsOwnNumbers) {
  std::vector<double> values;
  for (const char* replace : {"mask", "unk", "pad", "zero", "mean", "delete"}) {
    const EvaluateReport report =
        sentiment().evaluate(evaluation_request({{"deletion", {{"replace", replace}}}}, {{"saliency"}}));
    EXPECT_TRUE(std::isfinite(report.cells[0].value)) << replace;
    for (const double other : values) EXPECT_NE(report.cells[0].value, other) << replace;
    values.push_back(report.cells[0].value);
  }
}

TEST(Evaluate, DeletingEqualsPredictionsOfShorterTexts) {
  EvaluateRequest request =
      evaluation_request({{"comprehensiveness", {{"shares", "1"}, {"replace", "delete"}}}}, {{"saliency"}});
  request.examples = {{.input = {.text = "the film is not bad"}}};
  std::vector<ExampleValues> kept;
  request.keep = [&](const ExampleValues& values) { kept.push_back(values); };
  sentiment().evaluate(request);
  const Report explained =
      sentiment().explain({.input = Input{.text = "the film is not bad"}, .methods = {{"saliency"}}});
  const std::vector<double> scores = explained.attributions.front().scores().to_doubles();
  std::size_t highest = 1;
  for (std::size_t t = 1; t + 1 < scores.size(); ++t)
    if (scores[t] > scores[highest]) highest = t;
  std::string text;
  for (std::size_t t = 1; t + 1 < scores.size(); ++t)
    if (t != highest) text += explained.prediction.units[t].text + " ";
  const int label = explained.target.index;
  EXPECT_NEAR(kept[0].values[0][0].value,
              probability_of("the film is not bad", label) - probability_of(text, label), 1e-6);
}

TEST(Evaluate, AMethodAgreesWithItself) {
  const EvaluateReport report = sentiment().evaluate(evaluation_request(
      {{"spearman_agreement", {{"with", "saliency"}}}, {"top_k_agreement", {{"with", "saliency"}}}},
      {{"saliency"}, {"occlusion"}}));
  EXPECT_NEAR(report.cells[0].value, 1, 1e-15);
  EXPECT_LT(report.cells[1].value, 1);
  EXPECT_EQ(report.cells[0].examples, some_texts().size() - 1) << "one word has no order";
  EXPECT_EQ(report.cells[3].value, 1);
}

TEST(Evaluate, TheGoldLabelCanBeExplained) {
  EvaluateRequest request = evaluation_request({{"comprehensiveness"}}, {{"saliency"}});
  request.explained = EvaluateRequest::Explained::Gold;
  EXPECT_THROW(sentiment().evaluate(request), InputError) << "no gold label";
  for (EvaluationExample& example : request.examples) example.gold = "pos";
  const double pos = sentiment().evaluate(request).cells[0].value;
  for (EvaluationExample& example : request.examples) example.gold = "good";
  EXPECT_THROW(sentiment().evaluate(request), InputError);
  request.gold_labels = {{"good", "1"}};
  EXPECT_EQ(sentiment().evaluate(request).cells[0].value, pos);
}

TEST(Evaluate, RefusesWhatMeansNothing) {
  const auto with = [](std::vector<MetricSpec> metrics, std::vector<MethodSpec> methods) {
    return sentiment().evaluate(evaluation_request(std::move(metrics), std::move(methods)));
  };
  EXPECT_THROW(with({{"deletoin"}}, {{"saliency"}}), InputError);
  EXPECT_THROW(with({{"deletion", {{"steps", "-1"}}}}, {{"saliency"}}), InputError);
  EXPECT_THROW(with({{"mean_iou"}}, {{"saliency"}}), Unsupported);
  EXPECT_THROW(with({}, {{"saliency"}}), InputError);
  EXPECT_THROW(with({{"deletion"}}, {}), InputError);
  EXPECT_THROW(with({{"spearman_agreement", {{"with", "nobody"}}}}, {{"saliency"}}), InputError);
  EvaluateRequest request = evaluation_request({{"deletion"}}, {{"saliency"}});
  request.resamples = 0;
  EXPECT_THROW(sentiment().evaluate(request), InputError);
  request.resamples = 10;
  request.level = 1;
  EXPECT_THROW(sentiment().evaluate(request), InputError);
  request.level = .9;
  request.examples.clear();
  EXPECT_THROW(sentiment().evaluate(request), InputError);
  request.examples = {{.input = Input{.text = "fun"}, .annotated = true, .evidence = {{0, 9}}}};
  EXPECT_THROW(sentiment().evaluate(request), InputError) << "evidence beyond the text";
}

TEST(Evaluate, EvidenceIsFoundInWords) {
  EvaluateRequest request{.methods = {{"saliency"}}, .metrics = {{"auprc"}, {"token_f1", {{"k", "1"}}}}};
  request.examples = {{.input = Input{.text = "the film is bad"}, .annotated = true, .evidence = {{12, 15}}},
                      {.input = {.text = "the film is bad"}, .annotated = true},
                      {.input = {.text = "the film is bad"}}};
  const EvaluateReport report = sentiment().evaluate(request);
  EXPECT_EQ(report.cells[0].examples, 1U) << "nothing marked, and nobody looked";
}

TEST(Evaluate, SanityChecksChangeWhatTheySay) {
  EvaluateRequest request = evaluation_request(
      {{"parameter_randomisation"}, {"class_sensitivity"}, {"repeatability"}, {"input_invariance"}},
      {{"occlusion"}, {"input_x_gradient", {{"reduction", "l2"}, {"wrt", "embed"}}}, {"attention_rollout"}});
  const EvaluateReport report = sentiment().evaluate(request);
  const auto value = [&](std::size_t metric, std::size_t method) {
    return report.cells[metric * 4 + method].value;
  };
  EXPECT_LT(value(0, 0), .9) << "an untrained model is another model";
  EXPECT_LT(value(1, 0), -.9) << "of two classes one is the other turned round";
  EXPECT_NEAR(value(1, 2), 1, 1e-12) << "attention does not know the class";
  for (const std::size_t method : {0U, 1U, 2U}) EXPECT_EQ(value(2, method), 0) << "the same bits again";
  EXPECT_LT(value(3, 0), 1e-3);
  EXPECT_GT(value(3, 1), 1e-2) << "the length of g ⊙ x grows with x, though g does not see it";
  EXPECT_LT(value(3, 2), 1e-3);
}

TEST(Evaluate, TensorsBelongToTheirBlocks) {
  EXPECT_EQ(block_of_tensor("bert.encoder.layer.3.attention.self.query.weight", 6), 3);
  EXPECT_EQ(block_of_tensor("bert.embeddings.word_embeddings.weight", 6), -1);
  EXPECT_EQ(block_of_tensor("transformer.h.11.attn.c_attn.weight", 12), 11);
  EXPECT_EQ(block_of_tensor("transformer.wte.weight", 12), -1);
  EXPECT_EQ(block_of_tensor("classifier.weight", 6), 6);
}

// Value zeroing's maps multiplied here, layer by layer: what a rollout is.
TEST(Evaluate, CuesOfARolloutByHand) {
  const std::string text = "the old man is great fun";
  const Report explained =
      sentiment().explain({.input = Input{.text = text}, .methods = {{"value_zeroing"}}});
  const Tensor& maps = explained.attributions.front().scores();  // [layer, query, key]
  const Index layers = maps.dim(0), T = maps.dim(1);
  std::vector<std::vector<double>> rolled;  // the first row, [layer][token]
  std::vector<double> product;              // [query, token]
  for (Index l = 0; l < layers; ++l) {
    std::vector<double> next(static_cast<std::size_t>(T * T), 0.0);
    for (Index q = 0; q < T; ++q)
      for (Index k = 0; k < T; ++k)
        for (Index j = 0; j < T; ++j)
          next[static_cast<std::size_t>(q * T + j)] +=
              maps.at((l * T + q) * T + k) *
              (l == 0 ? (k == j ? 1 : 0) : product[static_cast<std::size_t>(k * T + j)]);
    product = next;
    rolled.emplace_back(product.begin(), product.begin() + T);
  }
  EvaluateRequest request{
      .examples = {{.input = Input{.text = text}, .cues = {{4, 7}, {15, 20}}}},  // "old", "great"
      .methods = {{"value_zeroing"}, {.name = "value_zeroing", .aggregate = "rollout"}},
      .metrics = {{"cue_mass"}, {"cue_precision"}}};
  const EvaluateReport report = sentiment().evaluate(request);
  EXPECT_EQ(report.methods[1], "value_zeroing_rollout");
  const EvaluationCell &each = report.cells[0], &through = report.cells[1], &precision = report.cells[4];
  ASSERT_EQ(through.curve.size(), static_cast<std::size_t>(layers));
  ASSERT_EQ(each.curve.size(), static_cast<std::size_t>(layers));
  for (Index l = 0; l < layers; ++l) {
    // [CLS] the old man is great fun [SEP]: the cues are the tokens 2 and 5.
    const std::vector<double>& row = rolled[static_cast<std::size_t>(l)];
    double all = 0;
    for (const double share : row) all += share;
    EXPECT_NEAR(through.curve[static_cast<std::size_t>(l)], (row[2] + row[5]) / all, 1e-5) << l;
    EXPECT_NEAR(each.curve[static_cast<std::size_t>(l)], maps.at(l * T * T + 2) + maps.at(l * T * T + 5),
                1e-5);
    // Of two cues at the ranks a < b: AP = ½ (1/a + 2/b).
    std::size_t second = 1, fifth = 1;
    for (std::size_t t = 0; t < row.size(); ++t) {
      second += row[t] > row[2] ? 1 : 0;
      fifth += row[t] > row[5] ? 1 : 0;
    }
    const auto a = static_cast<double>(std::min(second, fifth)),
               b = static_cast<double>(std::max(second, fifth));
    EXPECT_NEAR(precision.curve[static_cast<std::size_t>(l)], .5 * (1 / a + 2 / b), 1e-12) << l;
  }
  EXPECT_EQ(through.value, through.curve.back());
}

TEST(Evaluate, HeadRankingsAreMeasuredByThePruningOfHeads) {
  const std::vector<std::pair<std::string, std::string>> labelled{{"great fun", "positive"},
                                                                  {"a dull plot", "negative"},
                                                                  {"not bad at all", "positive"},
                                                                  {"awful mess", "negative"},
                                                                  {"warm and clever", "negative"}};
  EvaluateRequest request{
      .metrics = {{"head_pruning",
                   {{"rankings", "attention,taylor"}, {"steps", "4"}, {"random_orders", "2"}}}},
      .resamples = 200};
  std::vector<LabelledInput> inputs;
  for (const auto& [text, label] : labelled) {
    request.examples.push_back({.input = Input{.text = text}, .gold = label});
    inputs.push_back({.input = Input{.text = text}, .label = label});
  }
  const std::vector<HeadImportance> rankings{sentiment().head_importance(inputs, "attention"),
                                             sentiment().head_importance(inputs, "taylor")};
  const PruningReport curves = sentiment().pruning_curves(
      inputs, rankings, {.rates = {0, .25, .5, .75, 1}, .random_orders = 2, .seed = 1});
  const auto curve = [&](const std::string& ranking, const std::string& order) {
    for (const PruningCurve& one : curves.curves)
      if (one.ranking == ranking && one.scope == "global" && one.order == order) return one.accuracy;
    return std::vector<double>{};
  };
  const EvaluateReport report = sentiment().evaluate(request);
  ASSERT_EQ(report.methods, (std::vector<std::string>{"attention", "taylor", "random"}));
  for (std::size_t m = 0; m < 3; ++m) {
    const std::vector<double> expected = curve(report.methods[m], m < 2 ? "least" : "random");
    const EvaluationCell& cell = report.cells[m];
    ASSERT_EQ(cell.curve.size(), 5U);
    double area = 0;
    for (std::size_t r = 0; r < 5; ++r) {
      EXPECT_NEAR(cell.curve[r], expected[r], 1e-12) << report.methods[m];
      area += r == 0 ? 0 : (expected[r] + expected[r - 1]) / 8;
    }
    EXPECT_NEAR(cell.value, area, 1e-12);
    EXPECT_LE(cell.low, cell.value);
    EXPECT_EQ(cell.x, (std::vector<double>{0, .25, .5, .75, 1}));
  }
  request.metrics.front().options["order"] = "most";
  EXPECT_NEAR(sentiment().evaluate(request).cells[0].curve[2], curve("attention", "most")[2], 1e-12);
  request.metrics.front().options["rankings"] = "attention,luck";
  EXPECT_THROW(sentiment().evaluate(request), InputError);
  request.shard = {.index = 0, .count = 2};
  EXPECT_THROW(sentiment().evaluate(request), InputError) << "a ranking is of all examples";
}

// Texts of one length: then the mean over texts is the share of all tokens, which identify counts.
TEST(Evaluate, TokensAreIdentifiedAsTheCommandIdentifyDoes) {
  EvaluateRequest request{.metrics = {{"token_identifiability"}}, .seed = 3, .resamples = 100};
  IdentifyRequest identify{.control = false, .folds = 5, .seed = 3};
  for (const char* text : {"the film is fun", "a dull old plot", "the man is old", "great fun for all",
                           "a song is warm", "the plot is bad", "an old song ends"}) {
    request.examples.push_back({.input = {.text = text}});
    identify.texts.push_back({.text = text});
  }
  for (const Input& text : identify.texts) ASSERT_EQ(sentiment().tokenize(text).size(), 6U) << text.text;
  const IdentifyReport expected = sentiment().identify(identify);
  const EvaluateReport report = sentiment().evaluate(request);
  ASSERT_EQ(report.methods,
            (std::vector<std::string>{"naive_cosine", "naive_l2", "linear_cosine", "linear_l2", "random"}));
  for (const IdentifyCell& cell : expected.cells) {
    const std::string name = std::string(name_of(cell.map)) + "_" + std::string(name_of(cell.distance));
    const auto at = std::find(report.methods.begin(), report.methods.end(), name) - report.methods.begin();
    EXPECT_NEAR(report.cells[static_cast<std::size_t>(at)].curve[static_cast<std::size_t>(cell.state)],
                cell.rates.id.rate, 1e-12)
        << name << ", state " << cell.state;
  }
  EXPECT_NEAR(report.cells.back().value, expected.chance.id, 1e-12);
  request.methods = {{"saliency"}};
  EXPECT_THROW(sentiment().evaluate(request), InputError) << "measures no explanations";
  request.methods.clear();
  request.metrics.push_back({"deletion"});
  EXPECT_THROW(sentiment().evaluate(request), InputError) << "stands alone";
}

TEST(Evaluate, MixingIsReadFromWholeMaps) {
  EvaluateRequest request =
      evaluation_request({{"self_contribution"}, {"foreign_contributor"}}, {{"attention"}, {"saliency"}});
  request.examples = {{.input = {.text = "the film is not bad"}}};
  const EvaluateReport report = sentiment().evaluate(request);
  const Report explained =
      sentiment().explain({.input = Input{.text = "the film is not bad"}, .methods = {{"attention"}}});
  const Tensor& maps = explained.attributions.front().scores();  // [layer, head, query, key]
  const Index last = maps.dim(0) - 1, H = maps.dim(1), T = maps.dim(2);
  double own = 0;
  for (Index h = 0; h < H; ++h)
    for (Index t = 0; t < T; ++t) own += maps.at(((last * H + h) * T + t) * T + t);
  EXPECT_NEAR(report.cells[0].value, own / static_cast<double>(H * T), 1e-6) << "rows sum to 1";
  EXPECT_TRUE(std::isnan(report.cells[1].value)) << "a score per token is no map";
  EXPECT_EQ(report.metrics[0].better, EvaluationMetric::Better::Neither);
}

TEST(Evaluate, RandomScoresComeOutAtTheBaseline) {
  // lime with one sample and a method of no order would be others; the random explanation itself is tested
  // against a second one of another seed, which no test may tell from it.
  EvaluateRequest request = evaluation_request({{"deletion"}}, {{"saliency"}});
  request.examples.clear();
  for (int i = 0; i < 60; ++i)
    request.examples.push_back(
        {.input = {.text = some_texts()[static_cast<std::size_t>(i) % some_texts().size()] + " and " +
                           some_texts()[static_cast<std::size_t>(i * 7 + 1) % some_texts().size()]}});
  const EvaluateReport first = sentiment().evaluate(request);
  request.seed = 1;
  const EvaluateReport second = sentiment().evaluate(request);
  const EvaluationCell &a = first.cells[1], &b = second.cells[1];
  EXPECT_NE(a.value, b.value);
  EXPECT_LT(a.low, b.high);
  EXPECT_LT(b.low, a.high);
  EXPECT_EQ(first.cells[0].value, second.cells[0].value) << "methods do not depend on the seed";
}

}  // namespace
}  // namespace headwater
