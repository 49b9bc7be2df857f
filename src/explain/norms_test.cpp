// The norm family and ALTI on the worked example (support/sine_model.h), through the jobs the engine runs, so
// that rollouts go the way `--aggregate rollout` takes. Expected numbers are a float64 NumPy oracle's, which
// makes every vector [T, T, D]; layer by layer, row by row.
#include "explain/norms.h"

#include <cmath>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "engine/jobs.h"
#include "support/fakes.h"
#include "support/sine_model.h"

namespace headwater {
namespace {

using testing::SineModel;

struct Expected {
  std::string method;
  std::map<std::string, std::string> options;
  std::string aggregate;
  std::vector<double> scores;  // [2, 3, 3]
};

const std::vector<Expected>& expected() {
  static const std::vector<Expected> all{
      {"attention",
       {{"heads", "mean"}},
       "",
       {0.539250443800066, 0.3226612615740878, 0.1380882946258462, 0.45874025951942143, 0.33836532216868365,
        0.20289441831189495, 0.3469008098619928, 0.3366042237315998, 0.3164949664064075, 0.3509777197392723,
        0.4270795527453395, 0.22194272751538832, 0.2618654917854016, 0.39488775282733335, 0.3432467553872651,
        0.17376194818389307, 0.31567933964574, 0.5105587121703669}},
      {"attention_norm",
       {},
       "",
       {0.1675539571831044, 0.06790010677335696, 0.011191011788781827, 0.1421529329783852,
        0.07152516817727271, 0.01650967499371587, 0.10654467116407852, 0.07133601709683784,
        0.02600822394119396, 0.24427829859375919, 0.24149520733158544, 0.07362439453545663,
        0.18229530935263877, 0.22338871243787953, 0.11372263820405076, 0.12111768359425654,
        0.17876516288462027, 0.16922871008375717}},
      {"attention_norm_res",
       {},
       "",
       {1.51062345373414, 0.06790010677335696, 0.011191011788781827, 0.1421529329783852, 1.4879072456345603,
        0.01650967499371587, 0.10654467116407852, 0.07133601709683784, 1.503880950203361, 2.2246163189381556,
        0.24149520733158544, 0.07362439453545663, 0.18229530935263877, 2.1977902784186365,
        0.11372263820405076, 0.12111768359425654, 0.17876516288462027, 2.109093967782066}},
      {"attention_norm_res_ln",
       {},
       "",
       {1.761455133231974, 0.07890344874883654, 0.013022587343030589, 0.162339291210509, 1.720141324627795,
        0.018880272585343652, 0.12512876473863907, 0.0837918715930181, 1.7908144434132067, 1.813295849827929,
        0.1935860953790971, 0.05890111080766927, 0.14967419793451997, 1.8144551049207256, 0.09308572812976529,
        0.10521524060835039, 0.15510329488007343, 1.825236388806596}},
      {"globenc",
       {},
       "",
       {2.001813654915837, 0.08985933621407916, 0.014819400711870198, 0.20416050429859317, 2.142765504951865,
        0.023728382055997393, 0.18597923757590826, 0.12453128089385115, 2.6262714758614845,
        2.0465258591838205, 0.22175555967189678, 0.06758844651169493, 0.17015912795345578, 2.054708337221132,
        0.10610885267925889, 0.10783459190878508, 0.15913700694095684, 1.8806795229704747}},
      {"alti",
       {},
       "",
       {0.944429263765199, 0.0478682359726384, 0.007702500262162617, 0.013045173426292378, 0.9839080127427392,
        0.003046813830968411, 0.010190798546528327, 0.00745142325989611, 0.9823577781935756,
        0.9022766778981055, 0.07629505346467345, 0.021428268637221037, 0.06818136948361239,
        0.8941405024119713, 0.03767812810441633, 0.05482716871553776, 0.07930846832035922,
        0.8658643629641031}},
      {"attention",
       {},
       "rollout",
       {0.769625221900033, 0.1613306307870439, 0.0690441473129231, 0.22937012975971072, 0.6691826610843419,
        0.10144720915594747, 0.1734504049309964, 0.1683021118657999, 0.6582474832032037, 0.5881009378631449,
        0.2705508745298557, 0.14134818760699952, 0.2905100804013548, 0.5167253885724056, 0.1927645310262397,
        0.23407300466190428, 0.24675524330816648, 0.5191717520299293}},
      {"attention_norm_res_ln",
       {},
       "rollout",
       {0.9504009010054829, 0.04257270444677198, 0.007026394547745162, 0.08538057777400632, 0.904689548996616,
        0.009929873229377634, 0.06257267075326979, 0.04190148607269953, 0.8955258431740307,
        0.8440247860855793, 0.1233431888900997, 0.03263202502432086, 0.1472837480923828, 0.8029258057127936,
        0.04979044619482372, 0.1090594073353233, 0.10610113489790793, 0.7848394577667689}},
      {"globenc",
       {},
       "rollout",
       {2.001813654915837, 0.08985933621407916, 0.014819400711870198, 0.20416050429859317, 2.142765504951865,
        0.023728382055997393, 0.18597923757590826, 0.12453128089385115, 2.6262714758614845, 4.154607184697354,
        0.6674864948651683, 0.21309579658883981, 0.7798511996807319, 4.431262405361436, 0.3299472138690769,
        0.598121593951589, 0.5848866638305575, 4.9445490941421815}},
      {"globenc",
       {{"normalise", "rows"}},
       "rollout",
       {0.9503066152380335, 0.04265827712556405, 0.007035107636402634, 0.08611989375055272,
        0.9038708943866753, 0.010009211862772122, 0.06332755987162028, 0.042403992238521294,
        0.8942684478898584, 0.8426003811471495, 0.1244100485097604, 0.03298957034309039, 0.14816719530900552,
        0.8017881530386871, 0.05004465165230742, 0.10955207336598638, 0.1062498765632364, 0.784198050070777}},
      {"alti",
       {},
       "rollout",
       {0.944429263765199, 0.0478682359726384, 0.007702500262162617, 0.013045173426292378, 0.9839080127427392,
        0.003046813830968411, 0.010190798546528327, 0.00745142325989611, 0.9823577781935756,
        0.853350151992715, 0.11841737846610535, 0.028232469541179552, 0.07644066871846981, 0.8832964824044829,
        0.040262848877047314, 0.06163882459934363, 0.08710863916264798, 0.8512525362380086}},
  };
  return all;
}

Attribution explain(const Model& model, const std::string& method,
                    const std::map<std::string, std::string>& options, const std::string& aggregate = "") {
  Request request;
  request.methods = {{.name = method, .options = options, .aggregate = aggregate}};
  const std::vector<Job> jobs = jobs_of(request, model.info());
  const Study study(model, Batch{.ids = {{4, 5, 6}}}, {});
  return run_job(jobs.front(), study);
}

const Check& check_named(const Attribution& result, std::string_view part) {
  for (const Check& check : result.checks)
    if (check.name.find(part) != std::string::npos) return check;
  throw InternalError("no such check: " + std::string(part));
}

TEST(Norms, MeetTheWorkedExample) {
  const SineModel model(false);
  for (const Expected& one : expected()) {
    SCOPED_TRACE(one.method + " " + one.aggregate + (one.options.empty() ? "" : one.options.begin()->second));
    const Attribution result = explain(model, one.method, one.options, one.aggregate);
    ASSERT_EQ(result.scores().shape(), (Shape{2, 3, 3}));
    for (Index i = 0; i < 18; ++i)
      EXPECT_NEAR(result.scores().at(i), one.scores[static_cast<std::size_t>(i)], 1e-12) << i;
    for (const Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name << " " << check.value;
  }
}

TEST(Norms, MixingRatiosOfTheWorkedExample) {
  const Attribution result = explain(SineModel(false), "attention_norm_res_ln", {});
  ASSERT_EQ(result.details.size(), 1U);
  EXPECT_EQ(result.details[0].name, "mixing_ratio");
  EXPECT_EQ(result.details[0].axes, (Axes{Axis::Layer, Axis::Query}));
  const std::vector<double> ratios{0.04956850700661571, 0.09525679659248411, 0.1044721298673433,
                                   0.12214872179154626, 0.11778691918856737, 0.12479402953925285};
  for (Index i = 0; i < 6; ++i)
    EXPECT_NEAR(result.details[0].values.at(i), ratios[static_cast<std::size_t>(i)], 1e-12) << i;
  EXPECT_EQ(explain(SineModel(false), "attention_norm_res", {}).details.size(), 1U);
  EXPECT_TRUE(explain(SineModel(false), "attention_norm", {}).details.empty());
  EXPECT_TRUE(explain(SineModel(false), "globenc", {}).details.empty());
}

TEST(Norms, RowsAreDividedWhenAskedAndRawNumbersStayKnown) {
  const SineModel model(false);
  for (const std::string method :
       {"attention_norm", "attention_norm_res", "attention_norm_res_ln", "globenc"}) {
    SCOPED_TRACE(method);
    const Attribution raw = explain(model, method, {}),
                      shares = explain(model, method, {{"normalise", "rows"}});
    for (Index row = 0; row < 6; ++row) {
      const double sum =
          raw.scores().at(row * 3) + raw.scores().at(row * 3 + 1) + raw.scores().at(row * 3 + 2);
      for (Index j = 0; j < 3; ++j)
        EXPECT_NEAR(shares.scores().at(row * 3 + j), raw.scores().at(row * 3 + j) / sum, 1e-15);
    }
    EXPECT_TRUE(check_named(shares, "rows sum to 1").passed);
    EXPECT_THROW(check_named(raw, "rows sum to 1"), InternalError) << "raw norms are no shares";
    EXPECT_EQ(raw.notes[0], shares.notes[0]) << "the raw maximum";
    EXPECT_EQ(raw.notes[1], shares.notes[1]) << "the raw row sums";
    EXPECT_NE(raw.notes[1].find("Raw row sums lie between"), std::string::npos);
  }
}

TEST(Norms, AHeadAloneIsItsWeightTimesItsValue) {
  const SineModel model(false);
  const Attribution each = explain(model, "attention_norm", {{"heads", "each"}}),
                    sum = explain(model, "attention_norm", {}), weights = explain(model, "attention", {});
  ASSERT_EQ(each.scores().shape(), (Shape{2, 2, 3, 3}));
  EXPECT_EQ(each.axes(), (Axes{Axis::Layer, Axis::Head, Axis::Query, Axis::Key}));
  for (Index l = 0; l < 2; ++l)
    for (Index i = 0; i < 3; ++i)
      for (Index j = 0; j < 3; ++j) {
        const auto at = [&](const Attribution& a, Index h, Index row) {
          return a.scores().at(((l * 2 + h) * 3 + row) * 3 + j);
        };
        const double f = sum.scores().at((l * 3 + i) * 3 + j), both = at(each, 0, i) + at(each, 1, i);
        EXPECT_LE(f, both * (1 + 1e-12)) << "the triangle's inequality";
        EXPECT_GE(f, std::abs(at(each, 0, i) - at(each, 1, i)) * (1 - 1e-12));
        for (Index h = 0; h < 2; ++h)  // the same ‖u^h_j‖ for every query
          EXPECT_NEAR(at(each, h, i) / at(weights, h, i), at(each, h, 0) / at(weights, h, 0), 1e-12);
      }
}

TEST(Norms, CausalRowZeroMixesNothing) {
  const SineModel model(true);
  const Attribution result = explain(model, "attention_norm_res", {});
  EXPECT_EQ(result.details[0].values.at(0), 0) << "nothing but itself can be read";
  EXPECT_GT(result.details[0].values.at(1), 0);
  EXPECT_TRUE(std::isnan(result.scores().at(1)));
  EXPECT_TRUE(check_named(result, "no weight on later tokens").passed);
  EXPECT_LT(check_named(result, "parts add up").value, 1e-13);
  EXPECT_LT(check_named(result, "Gram form").value, 1e-13);
  const Attribution alti = explain(model, "alti", {});
  EXPECT_NEAR(alti.scores().at(0), 1, 1e-15);
}

TEST(Norms, PreNormModelsHaveNoNormAfterTheSum) {
  const SineModel model(true);
  const Study study(model, model.batch(), {});
  for (const std::string name : {"attention_norm_res_ln", "globenc"}) {
    EXPECT_THROW(explain(model, name, {}), Unsupported);
    const Method& method = find_method(name);
    try {
      method.run(study, MethodOptions(method.name, method.options, {}));
      FAIL();
    } catch (const Unsupported& error) {
      EXPECT_NE(std::string(error.what()).find("pre-norm blocks of SineModel"), std::string::npos)
          << error.what();
      EXPECT_NE(std::string(error.what()).find("use attention_norm_res"), std::string::npos) << error.what();
    }
  }
}

TEST(Norms, ModelsWithoutBlocksAreRefused) {
  auto fixture = testing::make_fixture(Task::TextClassification);
  fixture.model->patterns = {testing::some_pattern(2, 3, 0, false), testing::some_pattern(2, 3, 1, false)};
  for (const std::string name :
       {"attention_norm", "attention_norm_res", "attention_norm_res_ln", "globenc", "alti"})
    EXPECT_THROW(explain(*fixture.model, name, {}), Unsupported) << name;
}

TEST(RowSumsNote, CountsEmptyRows) {
  const auto row_sums_note = [](const std::vector<double>& map) {
    PartTotals totals(DType::Float64);
    totals.empty = totals.see_rows(map, 2);
    Attribution result{.maps = {{.values = Tensor::of({2, 2}, map)}}};
    totals.conclude(result, {}, false, {});
    return result.notes.back();
  };
  EXPECT_EQ(row_sums_note({0, 0, 1, 3}),
            "Raw row sums lie between 0 and 4. Rows without any weight, left at zero: 1.");
  EXPECT_EQ(row_sums_note({1, 0, 1, 3}), "Raw row sums lie between 1 and 4.");
}

}  // namespace
}  // namespace headwater
