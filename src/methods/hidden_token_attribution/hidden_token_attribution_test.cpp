#include <cmath>
#include <cstring>
#include <stdexcept>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "checkpoint/checkpoint.h"
#include "methods/hidden_token_attribution/probes.h"
#include "methods/hidden_token_attribution/tangents.h"
#include "methods/method.h"
#include "models/family.h"
#include "support/source_folder.h"
#include "support/tiny_models.h"
#include "support/toy_model.h"

namespace headwater {
namespace {

using Options = std::map<std::string, std::string>;
using Numbers = std::vector<double>;

Attribution explain(const Study& study, const Options& options = {}) {
  const Method& method = find_method("hidden_token_attribution");
  return method.run(study, MethodOptions(method.name, method.options, options));
}

std::unique_ptr<Model> tiny(const std::string& name, DType dtype = DType::Float64) {
  return load_model(
      open_checkpoint(find_model(HEADWATER_SOURCE_DIR "/tests/golden/models/" + name, {}), dtype));
}

Study study_of(const Model& model, int tokens = 6) {
  return {model, testing::random_batch(model.info(), 1, tokens, 7), {}};
}

const Tensor& detail(const Attribution& result, const std::string& name) {
  for (const Map& d : result.details)
    if (d.name == name) return d.values;
  throw std::runtime_error("no detail " + name);
}

// `expected` has rows i (read) and columns j (written), as the worked example prints it.
void expect_turned(const Tensor& maps, Index layer, const Numbers& expected) {
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j)
      EXPECT_NEAR(maps.at((layer * 3 + j) * 3 + i), expected[static_cast<std::size_t>(i * 3 + j)], 6e-7)
          << layer << " " << i << " " << j;
}

void expect_green(const Attribution& result) {
  for (const Check& check : result.checks)
    EXPECT_TRUE(check.passed) << check.name << " " << check.value << " against " << check.bound;
}

class Toy : public ::testing::Test {
 protected:
  testing::ToyModel model;
  Study study{model, testing::toy_batch(), {}};
};

TEST_F(Toy, HiddenStates) {
  const Numbers first{1.518390, .045758,  -.065525, -1.469114, -.933613, -1.097611,
                      .509600,  1.445159, 1.713719, -.011480,  -.422263, -1.181231};
  const Numbers second{1.448736, -.114669, -.123018, -1.209829, -.724663, -1.013002,
                       .303078,  1.322953, 1.565743, -.144760,  -.525115, -.952754};
  for (Index k = 0; k < 12; ++k) {
    EXPECT_NEAR(study.run().at(Site::ResidPost, 0).at(k), first[static_cast<std::size_t>(k)], 6e-7);
    EXPECT_NEAR(study.run().at(Site::ResidPost, 1).at(k), second[static_cast<std::size_t>(k)], 6e-7);
  }
}

TEST_F(Toy, Frobenius) {
  const Attribution result = explain(study);
  expect_green(result);
  expect_turned(detail(result, "norm"), 0,
                {3.544505, .263963, .119664, .151601, 4.096845, .203956, .478559, .182181, 1.516368});
  expect_turned(result.scores(), 0,
                {.849051, .058103, .065035, .036315, .901795, .110846, .114634, .040102, .824119});
  expect_turned(detail(result, "norm"), 1,
                {3.283390, .235643, .109207, .155523, 3.755340, .196742, .401694, .159605, 1.402986});
  expect_turned(result.scores(), 1,
                {.854915, .056773, .063904, .040494, .904773, .115126, .104591, .038454, .820971});
  // Aggregates of layer 0, from the printed shares.
  const Tensor& quartiles = detail(result, "self_share_quartiles");
  EXPECT_NEAR(quartiles.at(1), .849051, 6e-7);
  EXPECT_NEAR(quartiles.at(0), (.824119 + .849051) / 2, 6e-7);
  EXPECT_NEAR(quartiles.at(2), (.849051 + .901795) / 2, 6e-7);
  EXPECT_EQ(detail(result, "percent_not_own_top").at(0), 0);
  EXPECT_NEAR(detail(result, "mean_share_by_distance").at(2), (.114634 + .065035) / 2, 1e-6);
  const double near = .058103 + .036315 + .110846 + .040102, far = .114634 + .065035;
  EXPECT_NEAR(detail(result, "others_by_distance").at(0), near / (near + far), 2e-6);
  EXPECT_NEAR(detail(result, "entropy").at(0),
              -(.849051 * std::log(.849051) + .036315 * std::log(.036315) + .114634 * std::log(.114634)),
              3e-6);
}

TEST_F(Toy, OtherNorms) {
  const Attribution spectral = explain(study, {{"norm", "spectral"}});
  expect_green(spectral);
  expect_turned(detail(spectral, "norm"), 0,
                {2.794394, .244142, .119514, .151559, 3.144025, .203910, .469784, .175656, 1.139343});
  expect_turned(detail(spectral, "norm"), 1,
                {2.326015, .209887, .104229, .149780, 2.680144, .194656, .388516, .150344, 1.047313});
  const Attribution ones = explain(study, {{"norm", "ones"}});
  expect_turned(detail(ones, "norm"), 0,
                {.354131, .021162, .012814, .015916, .421310, .022575, .042680, .012451, .141759});
  expect_turned(ones.scores(), 1,
                {.824416, .054660, .082779, .053005, .911861, .154606, .122578, .033479, .762615});
  expect_turned(detail(explain(study, {{"norm", "gradxinput"}}), "norm"), 0,
                {2.445788, .173946, .085373, .056971, 2.986202, .082814, .279175, .085496, .969846});
}

TEST_F(Toy, OneLayerAlone) {
  const Numbers expected{1.356787, .073181, .128611, .113960, 1.340990, .089845, .135918, .073248, 1.335809};
  const Attribution closed = explain(study, {{"wrt", "local"}});
  expect_green(closed);
  ASSERT_EQ(closed.checks[2].name, "closed form of the first layer equals tangents");
  expect_turned(detail(closed, "norm"), 1, expected);
  // With heads the same norms come from a basis of tangents.
  const Attribution tangents = explain(study, {{"wrt", "local"}, {"head_outputs", "true"}});
  expect_green(tangents);
  expect_turned(detail(tangents, "norm"), 1, expected);
  for (Index k = 0; k < 18; ++k)
    EXPECT_NEAR(detail(tangents, "norm").at(k), detail(closed, "norm").at(k), 1e-13);
}

TEST_F(Toy, Heads) {
  const Attribution result = explain(study, {{"head_outputs", "true"}});
  const Tensor& heads = detail(result, "head_attribution");
  ASSERT_EQ(heads.shape(), (Shape{2, 2, 3, 3}));
  const std::vector<Numbers> printed{
      {.644902, .114157, .528825, .292069, 1.014281, .204625, .276839, .362295, .799398},
      {.143013, .115413, .046207, .068389, .356577, .028647, .096773, .114145, .062862}};
  for (Index l = 0; l < 2; ++l)
    for (Index j = 0; j < 3; ++j) {
      const Numbers& rows = printed[static_cast<std::size_t>(l)];
      double sum = 0;
      for (Index i = 0; i < 3; ++i) sum += rows[static_cast<std::size_t>(j * 3 + i)];
      for (Index i = 0; i < 3; ++i)
        EXPECT_NEAR(heads.at(l * 18 + j * 3 + i), rows[static_cast<std::size_t>(j * 3 + i)] / sum, 5e-6);
    }
  for (Index k = 0; k < 4; ++k) {
    EXPECT_LE(std::abs(detail(result, "head_attention_pearson").at(k)), 1);
    EXPECT_LE(std::abs(detail(result, "head_attention_spearman").at(k)), 1);
  }
}

// What a LayerNorm's output cannot do: 1ᵀ diag(1/γ) J = 0.
TEST_F(Toy, TangentsStayInTheRangeOfTheLastNorm) {
  const Tensor t = push_to_last(study, {Site::ResidPre, 0, 1},
                                Tensor::of({1, 1, 3, 4}, Numbers{0, 0, 0, 0, 1, -2, .5, 3, 0, 0, 0, 0}));
  for (Index j = 0; j < 3; ++j) {
    double sum = 0;
    for (Index k = 0; k < 4; ++k) sum += t.at(j * 4 + k) / model.block(1).mlp_norm.gamma.at(k);
    EXPECT_NEAR(sum, 0, 1e-14);
  }
}

TEST(HiddenTokenAttribution, ProbesAreUnbiasedAndTheirErrorsHonest) {
  const auto model = tiny("bert_model");
  const Study study = study_of(*model);
  const Attribution exact = explain(study);
  constexpr int seeds = 200;
  const Index T = 6, cells = exact.scores().size();
  Numbers sum(static_cast<std::size_t>(cells)), squares(sum), claimed(sum);
  for (int seed = 0; seed < seeds; ++seed) {
    SquaredNorms norms(cells);
    std::vector<Start> starts;
    for (Index i = 0; i < T; ++i)
      for (std::vector<double>& q : random_directions(static_cast<std::uint64_t>(seed), i, 16, 4)) {
        for (double& v : q) v *= 4;  // √D
        starts.push_back({i, true, q});
      }
    push_starts(study, {Site::ResidPre, 0, 2}, starts, norms, nullptr, [](Index) {});
    for (std::size_t c = 0; c < sum.size(); ++c) {
      const double mean = norms.sum[c] / 4;
      sum[c] += mean;
      squares[c] += mean * mean;
      claimed[c] += (norms.squares[c] - norms.sum[c] * mean) / 3 / 4 * (16.0 - 4) / 16;
    }
  }
  for (std::size_t c = 0; c < sum.size(); ++c) {
    const double norm = detail(exact, "norm").at(static_cast<Index>(c)), mean = sum[c] / seeds;
    const double variance = (squares[c] - sum[c] * mean) / (seeds - 1);
    EXPECT_NEAR(mean, norm * norm, 4 * std::sqrt(variance / seeds)) << c;
    EXPECT_NEAR(claimed[c] / seeds / variance, 1, 0.6) << c;
  }
}

TEST(HiddenTokenAttribution, EstimatesAreWithinTheirErrorBars) {
  for (const std::string name : {"bert_model", "gpt2_causal_lm", "llama_model"}) {
    const auto model = tiny(name);
    const Study study = study_of(*model);
    const Attribution exact = explain(study);
    for (const std::string mode : {"probes", "guided"}) {
      const Attribution estimate = explain(study, {{"mode", mode}, {"k", "5"}, {"m", "6"}});
      expect_green(estimate);
      double within = 0, cells = 0, worst = 0;
      for (Index k = 0; k < exact.scores().size(); ++k) {
        const double error = detail(estimate, "standard_error").at(k);
        if (std::isnan(exact.scores().at(k)) || error == 0) continue;
        const double off = std::abs(estimate.scores().at(k) - exact.scores().at(k));
        worst = std::max(worst, off);
        cells += 1;
        if (off <= 4 * error) within += 1;
      }
      EXPECT_GT(cells, 20) << name << mode;
      EXPECT_GE(within / cells, 0.9) << name << mode;
      EXPECT_LE(worst, 0.2) << name << mode;
    }
    // The first layer of a post-norm model is exact in any mode.
    if (name == "bert_model") {
      const Attribution estimate = explain(study, {{"mode", "guided"}, {"k", "5"}, {"m", "6"}});
      for (Index k = 0; k < 36; ++k) EXPECT_NEAR(estimate.scores().at(k), exact.scores().at(k), 1e-12);
    }
  }
}

TEST(HiddenTokenAttribution, SeedsDoNotDependOnTiles) {
  const auto model = tiny("gpt2_causal_lm", DType::Float32);
  Study study = study_of(*model), tight = study_of(*model);
  tight.scratch = 0;
  for (const Options& options : {Options{{"mode", "guided"}, {"k", "4"}, {"m", "3"}}, Options{}}) {
    const Attribution wide = explain(study, options), narrow = explain(tight, options);
    EXPECT_EQ(std::memcmp(wide.scores().data<float>(), narrow.scores().data<float>(), wide.scores().bytes()),
              0);
  }
  const Options seeded{{"mode", "guided"}, {"k", "4"}, {"m", "3"}, {"seed", "5"}};
  const Attribution other = explain(study, seeded),
                    first = explain(study, {{"mode", "guided"}, {"k", "4"}, {"m", "3"}});
  EXPECT_NE(std::memcmp(other.scores().data<float>(), first.scores().data<float>(), other.scores().bytes()),
            0);
}

TEST(HiddenTokenAttribution, SumAndWordDifferentiateAlike) {
  const auto bert = tiny("bert_model"), gpt = tiny("gpt2_causal_lm");
  const Study post = study_of(*bert), pre = study_of(*gpt);
  const Attribution word = explain(post, {{"wrt", "word"}}), sum = explain(post, {{"wrt", "sum"}});
  EXPECT_EQ(std::memcmp(word.scores().data<double>(), sum.scores().data<double>(), word.scores().bytes()), 0);
  const Attribution stream = explain(pre), before = explain(pre, {{"wrt", "sum"}});
  EXPECT_EQ(
      std::memcmp(stream.scores().data<double>(), before.scores().data<double>(), stream.scores().bytes()),
      0);
}

// Tensors alive at once beyond the recorded run stay within the plan and the scratch, whatever that is.
TEST(HiddenTokenAttribution, StaysWithinItsPlan) {
  const Method& method = find_method("hidden_token_attribution");
  for (const std::string name : {"bert_model", "gpt2_causal_lm", "llama_model"})
    for (const std::size_t scratch : {std::size_t{0}, std::size_t{1} << 20U}) {
      const auto model = tiny(name);
      Study study = study_of(*model, 12);
      study.scratch = scratch;
      study.run();
      for (const Options& options :
           {Options{}, Options{{"mode", "guided"}, {"k", "4"}, {"m", "3"}}, Options{{"norm", "spectral"}},
            Options{{"norm", "ones"}}, Options{{"head_outputs", "true"}}}) {
        const MethodOptions given(method.name, method.options, options);
        reset_tensor_pool_peak();
        const std::size_t before = tensor_pool_statistics().live_bytes;
        method.run(study, given);
        EXPECT_LE(tensor_pool_statistics().peak_bytes - before,
                  method.planned_bytes(model->info(), 12, given) + scratch)
            << name << " " << scratch << " " << (options.empty() ? "" : options.begin()->second);
      }
    }
}

TEST(HiddenTokenAttribution, StopsWhenAsked) {
  const auto model = tiny("bert_model");
  for (const Options& options :
       {Options{}, Options{{"mode", "guided"}, {"k", "4"}, {"m", "3"}}, Options{{"norm", "spectral"}},
        Options{{"norm", "ones"}}, Options{{"wrt", "local"}}}) {
    Study study = study_of(*model);
    study.on_progress = [](double) { throw std::runtime_error("stop"); };
    EXPECT_THROW(explain(study, options), std::runtime_error);
  }
}

TEST(HiddenTokenAttribution, RefusesWhatCannotBe) {
  const auto model = tiny("bert_model");
  const Study study = study_of(*model);
  for (const Options& options :
       {Options{{"k", "0"}}, Options{{"m", "1"}}, Options{{"norm", "spectral"}, {"mode", "probes"}},
        Options{{"norm", "ones"}, {"mode", "guided"}}, Options{{"norm", "ones"}, {"head_outputs", "true"}},
        Options{{"wrt", "local"}, {"mode", "probes"}}, Options{{"wrt", "sum"}, {"norm", "gradxinput"}}})
    EXPECT_THROW(explain(study, options), InputError);
}

TEST(HiddenTokenAttribution, OneTokenIsItsOwn) {
  for (const std::string name : {"bert_model", "gpt2_causal_lm"}) {
    const auto model = tiny(name);
    const Study study = study_of(*model, 1);
    for (const Options& options :
         {Options{}, Options{{"mode", "guided"}, {"k", "4"}, {"m", "3"}}, Options{{"head_outputs", "true"}}})
      EXPECT_EQ(explain(study, options).scores().at(0), 1);
  }
}

}  // namespace
}  // namespace headwater
