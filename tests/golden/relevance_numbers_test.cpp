// Relevance on two small models whose weights come from a hash (tests/support/worked_models.h), against
// numbers that an independent NumPy implementation of the papers' formulas gave in float64.
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "base/json.h"
#include "explain/relevance_walk.h"
#include "methods/method.h"
#include "support/source_folder.h"
#include "support/worked_models.h"

namespace headwater::testing {
namespace {

struct Worked {
  WorkedModel made;
  Study study;
  explicit Worked(WorkedModel model, int target)
      : made(std::move(model)), study(*made.model, made.batch, {}) {
    study.aim({.position = -1, .index = target});
  }
};

Attribution explain(const Worked& worked, std::string_view name,
                    const std::map<std::string, std::string>& given = {}) {
  const Method& method = find_method(name);
  Attribution result = method.run(worked.study, MethodOptions(method.name, method.options, given));
  for (const Check& check : result.checks)
    EXPECT_TRUE(check.passed) << name << ": " << check.name << " " << check.value << " against "
                              << check.bound;
  return result;
}

const Tensor& detail(const Attribution& result, std::string_view name) {
  for (const Map& d : result.details)
    if (d.name == name) return d.values;
  throw std::runtime_error("no detail " + std::string(name));
}

// Within `digits` (numbers as printed) and `relative` of the expected ones.
void expect_near(const Tensor& found, const std::vector<double>& expected, double digits,
                 double relative = 1e-9) {
  ASSERT_EQ(found.size(), static_cast<Index>(expected.size()));
  for (Index i = 0; i < found.size(); ++i) {
    const double e = expected[static_cast<std::size_t>(i)];
    EXPECT_NEAR(found.at(i), e, digits + relative * std::abs(e)) << i;
  }
}

constexpr double nine_digits = 6e-10;  // half a unit of the last digit, and rounding

TEST(WorkedModels, WeightsInputsAndLogits) {
  EXPECT_NEAR(hashed(1, 4)[3], .427762915, nine_digits);
  EXPECT_NEAR(hashed(1000, 3)[2], .355195591, nine_digits);
  const Worked bert(worked_bert(), 0);
  expect_near(bert.study.logits(), {1.189517784, -.219242558, .529101005}, nine_digits);
  expect_near(bert.study.run().at(Site::ResidPre).reshaped({5, 8}).rows(0, 1),
              {-.098310182, 1.63632965, -.097645422, -1.273845146, 1.032809789, -1.280808725, -1.67251433,
               .605755884},
              nine_digits);
  const Worked three(worked_bert(3), 0);
  expect_near(three.study.logits(), {1.075622864, -.245693264, .441529965}, nine_digits);
  const Worked vit(worked_vit(), 2);
  expect_near(vit.study.logits(), {-.206173041, .051278729, .149041661}, nine_digits);
}

TEST(WorkedModels, PatternsAndTheirGradients) {
  const Worked bert(worked_bert(), 0);
  const auto& run = bert.study.run();
  expect_near(run.at(Site::Pattern, 0).reshaped({10, 5}).rows(0, 1),
              {.138594838, .275764479, .250554665, .153667762, .181418257}, nine_digits);
  const Signals gradient = run.tape->pull(run.logits, bert.study.seed(run), rules::gradient);
  expect_near(gradient.at(Site::Pattern, 1).reshaped({10, 5}).rows(0, 1),
              {-.29692941, -.148323355, -.033539877, .401858453, .155096153}, nine_digits);
  expect_near(gradient.at(Site::Pattern, 0).reshaped({10, 5}).rows(5, 1),
              {.136295363, .14313346, -.208798923, -.521547393, -.070966118}, nine_digits);
}

TEST(WorkedModels, GenericAttention) {
  const Attribution text = explain(Worked(worked_bert(), 0), "generic_attention");
  expect_near(detail(text, "row"), {1.027316421, .033239025, .000733554, .027740839, .038655872},
              nine_digits);
  expect_near(text.scores(), {0, .033239025, .000733554, .027740839, .038655872}, nine_digits);
  const Attribution image = explain(Worked(worked_vit(), 2), "generic_attention");
  EXPECT_EQ(image.scores().shape(), (Shape{2, 2}));
  expect_near(image.scores(), {.176207954, .14953294, .105018509, .081940752}, nine_digits);
}

TEST(WorkedModels, AttnLrp) {
  // The oracle divides activations by x + 1e-10, which moves the last digits.
  expect_near(explain(Worked(worked_bert(), 0), "attn_lrp").scores(),
              {1.025911303, -.021260239, .094914767, .011273818, -.00457125}, 2e-9);
  expect_near(explain(Worked(worked_vit(), 2), "attn_lrp").scores(),
              {-.4690756, .079037782, -.013571529, .104386157, .083817529}, 2e-9);
}

TEST(WorkedModels, CpLrpConservesWithoutBiases) {
  for (const int target : {0, 1, 2}) {
    const Worked bert(worked_bert(5, Biases::Zero), target);
    const Attribution result = explain(bert, "cp_lrp");
    double sum = 0;
    for (Index t = 0; t < result.scores().size(); ++t) sum += result.scores().at(t);
    EXPECT_NEAR(sum, bert.study.logits().at(target), 1e-12);
    const Worked with_biases(worked_bert(), target);
    const Attribution leaking = explain(with_biases, "cp_lrp");
    double leaking_sum = 0;
    for (Index t = 0; t < leaking.scores().size(); ++t) leaking_sum += leaking.scores().at(t);
    EXPECT_GT(std::abs(leaking_sum - with_biases.study.logits().at(target)), 1e-3);
  }
}

// Relevance at every value, as the public code's guards give it.
Signals strict_relevance(const Worked& worked, Rules::Relevance form) {
  return walk_relevance(
      worked.study,
      {.rules = relevance_rules(form, true, worked.study.info()), .dtype = DType::Float64, .wanted = {}},
      nullptr);
}

std::vector<double> head_sums(const Tensor& relevance) {
  std::vector<double> sums(static_cast<std::size_t>(relevance.dim(1)), 0.0);
  const Index cells = relevance.size() / relevance.dim(1);
  for (Index i = 0; i < relevance.size(); ++i) sums[static_cast<std::size_t>(i / cells)] += relevance.at(i);
  return sums;
}

TEST(WorkedModels, RelevanceAtThePatternsAndTheInput) {
  const Worked bert(worked_bert(), 0);
  const Signals r = strict_relevance(bert, Rules::Relevance::Chefer);
  const auto near = [](const std::vector<double>& found, const std::vector<double>& expected) {
    expect_near(Tensor::of({static_cast<Index>(found.size())}, found), expected, nine_digits);
  };
  near(head_sums(r.at(Site::Pattern, 0)), {.055165623, .168679635});
  near(head_sums(r.at(Site::Pattern, 1)), {.180511903, .06318598});
  expect_near(r.at(Site::Pattern, 0).reshaped({10, 5}).rows(0, 1),
              {-.004423833, .005952143, .007280845, -.001070881, -.004414795}, nine_digits);
  expect_near(r.at(Site::Pattern, 1).reshaped({10, 5}).rows(0, 1),
              {-.180917983, .40985021, -.000202566, -.08481841, .036600652}, nine_digits);
  std::vector<double> tokens(5, 0.0);
  double total = 0;
  for (Index i = 0; i < 40; ++i) {
    tokens[static_cast<std::size_t>(i / 8)] += r.at(Site::ResidPre).at(i);
    total += r.at(Site::ResidPre).at(i);
  }
  near(tokens, {.202717413, -.004839633, .107992505, .747423181, -.053293495});
  EXPECT_NEAR(total, .999999971, nine_digits);

  const Worked vit(worked_vit(), 2);
  const Signals of_vit = strict_relevance(vit, Rules::Relevance::Chefer);
  std::vector<double> layers;
  for (int l = 0; l < 2; ++l) {
    const std::vector<double> sums = head_sums(of_vit.at(Site::Pattern, l));
    layers.push_back(sums[0] + sums[1]);
  }
  near(layers, {.401994434, .044849023});
  const std::vector<double> input = of_vit.at(Site::ResidPre).to_doubles();
  EXPECT_NEAR(std::accumulate(input.begin(), input.end(), 0.0), .999999979, nine_digits);
}

TEST(WorkedModels, CheferStrict) {
  const std::map<std::string, std::string> strict{{"mode", "strict"}};
  const Worked bert(worked_bert(), 0);
  const Attribution all = explain(bert, "chefer", strict);
  // 1.04e-11 is the difference of numbers of size 1e-2; five digits of it are known.
  expect_near(all.scores(),
              {1.041842634e-11, 1.041842634e-11, 1.998359766e-4, 4.696440276e-3, 2.744491196e-3}, 1e-16,
              1e-9);
  EXPECT_NEAR(detail(all, "row").at(0), .9923592325, 1e-10);
  expect_near(explain(bert, "transformer_attribution", {{"mode", "strict"}, {"start_layer", "1"}}).scores(),
              {0, 0, .000186467, .004687607, .002740877}, nine_digits);
  expect_near(explain(Worked(worked_bert(), 1), "chefer", strict).scores(),
              {.001585871, .025686249, .002998786, .00419812, .001585871}, nine_digits);
  expect_near(explain(Worked(worked_bert(3), 0), "chefer", strict).scores(),
              {3.649185521e-8, 3.649185521e-8, 5.607682882e-4}, 1e-15, 1e-9);
  const Worked vit(worked_vit(), 2);
  expect_near(explain(vit, "chefer", strict).scores(), {.017960876, .010170478, .001501498, .002021498},
              nine_digits);
  const std::vector<double> last{.01647225, .004036614, .000810694, 0};
  expect_near(explain(vit, "chefer", {{"mode", "strict"}, {"start_layer", "1"}}).scores(), last, nine_digits);
  expect_near(explain(vit, "chefer", {{"mode", "strict"}, {"block", "last"}}).scores(), last, nine_digits);
  expect_near(explain(vit, "chefer", {{"mode", "strict"}, {"without_gradient", "yes"}}).scores(),
              {.16890133, .029996413, .004511064, .002202266}, nine_digits);
}

TEST(WorkedModels, CheferFastDiffersByTheGuardsAlone) {
  for (const int target : {0, 1, 2}) {
    const Worked bert(worked_bert(), target), vit(worked_vit(), target);
    for (const Worked* worked : {&bert, &vit}) {
      const Tensor fast = explain(*worked, "chefer").scores();
      const Tensor strict = explain(*worked, "chefer", {{"mode", "strict"}}).scores();
      double largest = 0;
      for (Index i = 0; i < strict.size(); ++i) largest = std::max(largest, strict.at(i));
      expect_near(fast, strict.to_doubles(), 1e-4 * largest, 0);
    }
  }
}

TEST(WorkedModels, CheferInFloat64OverAFloat32Run) {
  const Worked exact(worked_bert(), 0), single(worked_bert(5, Biases::Hashed, DType::Float32), 0);
  const std::vector<double> expected = explain(exact, "chefer").scores().to_doubles();
  for (const std::string type : {"same", "float64"}) {
    const Tensor found = explain(single, "chefer", {{"relevance_dtype", type}}).scores();
    EXPECT_EQ(found.dtype(), DType::Float32);
    expect_near(found, expected, 1e-2 * 4.7e-3, 0);
  }
}

TEST(WorkedModels, CheferConservesFromBlockToBlock) {
  for (const std::string mode : {"fast", "strict"})
    for (const int target : {0, 1, 2}) {
      const Worked bert(worked_bert(), target), vit(worked_vit(), target);
      for (const Worked* worked : {&bert, &vit}) {
        const Attribution result = explain(*worked, "chefer", {{"mode", mode}});
        for (int l = 0; l < 2; ++l) EXPECT_NEAR(detail(result, "conservation").at(l), 1, 1e-6) << l;
      }
    }
}

TEST(WorkedModels, Baselines) {
  const Worked bert(worked_bert(), 0);
  expect_near(detail(explain(bert, "raw_attention"), "row"),
              {.410843652, .169695795, .109249099, .192159743, .118051711}, nine_digits);
  const Attribution cam = explain(bert, "grad_cam");
  expect_near(detail(cam, "unscaled"), {.000789408, .000272824, .000141179, .000223051, .000166986},
              nine_digits);
  expect_near(detail(cam, "row"), {1, .258285217, .06926733, .186819922, .106320956}, nine_digits);
  EXPECT_EQ(cam.scores().at(0), 0);
  expect_near(detail(explain(bert, "partial_lrp"), "row"),
              {1.37480187, 3.449940476, .757719251, 2.855513686, 1.184419941}, nine_digits);
  const Attribution lrp = explain(bert, "lrp");
  expect_near(detail(lrp, "row"), {2024.079, 701.378, 501.465, -1230.869, -1806.987}, 6e-4);
  expect_near(lrp.scores(), {0, 701.378, 501.465, -1230.869, -1806.987}, 6e-4);
}

TEST(WorkedModels, StartLayersAndBlocksOutsideAreRefused) {
  const Worked bert(worked_bert(), 0);
  EXPECT_THROW(explain(bert, "chefer", {{"start_layer", "2"}}), InputError);
  EXPECT_THROW(explain(bert, "chefer", {{"start_layer", "1"}, {"block", "last"}}), InputError);
  EXPECT_THROW(explain(bert, "generic_attention", {{"start_layer", "-1"}}), InputError);
  EXPECT_THROW(explain(bert, "epsilon_lrp", {{"epsilon", "-1"}}), InputError);
  EXPECT_THROW(explain(bert, "gamma_lrp", {{"gamma", "-1"}}), InputError);
}

// ε-, γ- and CP-LRP in explicit form and DecompX, by make_relevance_goldens.py.
TEST(WorkedModels, EqualNumPy) {
  const Json goldens = read_json_file(HEADWATER_SOURCE_DIR "/tests/golden/relevance.json");
  ASSERT_EQ(goldens.size(), 42U);
  for (const Json& golden : goldens) {
    SCOPED_TRACE(golden["method"].get<std::string>() + golden["options"].dump());
    const Worked worked(golden["model"] == "bert" ? worked_bert() : worked_vit(),
                        golden["target"].get<int>());
    const Attribution found = explain(worked, golden["method"].get<std::string>(),
                                      golden["options"].get<std::map<std::string, std::string>>());
    expect_near(found.scores(), golden["scores"].get<std::vector<double>>(), 1e-11, 1e-9);
  }
}

TEST(WorkedModels, LedgerTellsWhereRelevanceWent) {
  // Without biases CP-LRP leaks nowhere; with them, in linear layers and norms only.
  const Attribution tight = explain(Worked(worked_bert(5, Biases::Zero), 0), "cp_lrp");
  for (const Map& d : tight.details) EXPECT_FALSE(d.name.starts_with("leak_")) << d.name;
  const Worked bert(worked_bert(), 0);
  const Attribution leaking = explain(bert, "cp_lrp");
  double lost = 0, arrived = 0;
  for (const Map& d : leaking.details) {
    if (d.name == "conservation") continue;
    EXPECT_TRUE(d.name == "leak_linear" || d.name == "leak_layer_norm") << d.name;
    ASSERT_EQ(d.values.size(), 4);  // before the blocks, two layers, the head
    for (const double v : d.values.to_doubles()) lost += v;
  }
  for (const double v : leaking.scores().to_doubles()) arrived += v;
  EXPECT_NEAR(lost + arrived, bert.study.logits().at(0), 1e-12);
  // The head's own bias is the first thing lost: 0.2 · hashed(111)[0] and what the pooler's bias takes.
  EXPECT_GT(std::abs(detail(leaking, "leak_linear").at(3)), 1e-3);
  // AttnLRP loses in the softmax as well.
  EXPECT_GT(std::abs(detail(explain(bert, "attn_lrp"), "leak_softmax").at(1)), 1e-6);
}

}  // namespace
}  // namespace headwater::testing
