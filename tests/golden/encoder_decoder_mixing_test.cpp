// Methods of token mixing on encoder–decoders against independent programs (make_encoder_decoder_goldens.py
// says what each number is), in float64:
//
//   maps      of every kind of attention, within 1e-9 of the map's largest number
//   residual  the file's last column of cross-attention is the detail cross_residual
//   rollout   of alti, through aggregate()
//   refusals  options that mean nothing for several stacks
//
// Every result that the file has of these methods is compared.
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/json.h"
#include "checkpoint/checkpoint.h"
#include "explain/aggregate.h"
#include "methods/method.h"
#include "models/family.h"
#include "support/encoder_decoder_cases.h"
#include "support/golden_models.h"

namespace headwater {
namespace {

const std::set<std::string> mixing_methods{
    "attention_norm", "attention_norm_res",  "alti",
    "value_zeroing",  "effective_attention", "hidden_token_attribution"};

struct MixingCase {
  std::unique_ptr<Model> model;
  std::unique_ptr<Study> study;
};

MixingCase open_mixing_case(const Json& golden, DType dtype = DType::Float64) {
  const auto folder = testing::encoder_decoder_folder() / golden.at("model").get<std::string>();
  MixingCase made{load_model(open_checkpoint(find_model(folder.string(), {}), dtype)), nullptr};
  made.study = std::make_unique<Study>(
      *made.model, Batch{.ids = {golden.at("source").at("ids").get<std::vector<int>>()},
                         .prefix = {golden.at("prefix").at("ids").get<std::vector<int>>()}});
  return made;
}

Attribution explain_mixing(const Study& study, const std::string& name,
                           const std::map<std::string, std::string>& options = {}) {
  const Method& method = find_method(name);
  require_supported(method, study.info());
  return method.run(study, MethodOptions(method.name, method.options, options));
}

std::map<std::string, std::string> options_of(const Json& result) {
  std::map<std::string, std::string> options;
  for (const auto& [key, value] : result.at("options").items()) options[key] = value.get<std::string>();
  return options;
}

const Map* find_map(const std::vector<Map>& maps, const std::string& name) {
  for (const Map& map : maps)
    if (map.name == name) return &map;
  return nullptr;
}

// What the program has under the golden's name and axes, row-major.
std::vector<double> values_like(const Json& golden, const Attribution& found, const Attribution& rolled) {
  const auto name = golden.at("name").get<std::string>();
  const Map* map = name.starts_with("rollout ") ? find_map(rolled.maps, name.substr(8))
                   : name.starts_with("norm ")  ? find_map(found.details, "norm_" + name.substr(5))
                                                : find_map(found.maps, name);
  if (map == nullptr) return {};
  if (golden.at("axes").back() != "source+residual") return map->values.to_doubles();
  const Map* beside = find_map(found.details, name + "_residual");
  if (beside == nullptr) return {};
  std::vector<double> wide;
  const Index S = map->values.shape().back();
  for (Index row = 0; row < beside->values.size(); ++row) {
    for (Index j = 0; j < S; ++j) wide.push_back(map->values.at(row * S + j));
    wide.push_back(beside->values.at(row));
  }
  return wide;
}

struct MixingDifference {
  Index compared = 0;
  double largest = 0;
};

void compare_maps(const Json& result, const Attribution& found, const Attribution& rolled,
                  MixingDifference& worst) {
  for (const Json& map : result.at("maps")) {
    const auto expected = map.at("values").get<std::vector<double>>();
    const std::vector<double> values = values_like(map, found, rolled);
    ASSERT_EQ(values.size(), expected.size()) << map.at("name");
    double scale = 0;
    for (const double v : expected) scale = std::max(scale, std::abs(v));
    ASSERT_GT(scale, 0) << map.at("name");
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // Forbidden by the causal mask: 0 in the file.
      const double apart = std::isnan(values[i]) ? std::abs(expected[i]) : std::abs(values[i] - expected[i]);
      ASSERT_LE(apart, 1e-9 * scale) << map.at("name") << " " << i;
      worst.largest = std::max(worst.largest, apart / scale);
    }
    worst.compared += static_cast<Index>(expected.size());
  }
}

TEST(EncoderDecoderMixing, EqualsIndependentPrograms) {
  std::map<std::string, MixingDifference> worst;
  const Json goldens = read_json_file(testing::golden_folder + "encoder_decoder.json");
  for (const Json& golden : goldens.at("cases")) {
    const MixingCase subject = open_mixing_case(golden);
    const Study& study = *subject.study;
    for (const Json& result : golden.at("results")) {
      const auto name = result.at("method").get<std::string>();
      if (!mixing_methods.contains(name)) continue;
      SCOPED_TRACE(golden.at("model").get<std::string>() + " " + name + " " + result.at("options").dump());
      const Attribution found = explain_mixing(study, name, options_of(result));
      for (const Check& check : found.checks) EXPECT_TRUE(check.passed) << check.name << " " << check.value;
      Attribution rolled;
      if (name == "alti") rolled = aggregate(found, "rollout", Blend::RowSums, JointMixing(study), {});
      for (const Check& check : rolled.checks) EXPECT_TRUE(check.passed) << check.name << " " << check.value;
      compare_maps(result, found, rolled, worst[name]);
    }
  }
  EXPECT_EQ(worst.size(), mixing_methods.size());
  for (const auto& [name, one] : worst)
    fmt::print("{:24} {} numbers, largest difference {:.1e}\n", name, one.compared, one.largest);
}

// Rows of cross-attention and the residual path beside them sum to 1; so do joint ones of derivatives.
TEST(EncoderDecoderMixing, SharesTheRowWithTheResidualPath) {
  const Json goldens = read_json_file(testing::golden_folder + "encoder_decoder.json");
  const MixingCase subject = open_mixing_case(goldens.at("cases")[0]);
  for (const auto& [name, options] : std::map<std::string, std::map<std::string, std::string>>{
           {"alti", {}}, {"attention_norm_res", {{"normalise", "rows"}}}}) {
    const Attribution found = explain_mixing(*subject.study, name, options);
    const Map *cross = find_map(found.maps, "cross"), *beside = find_map(found.details, "cross_residual");
    ASSERT_TRUE(cross != nullptr && beside != nullptr) << name;
    EXPECT_EQ(beside->axes, (Axes{Axis::Layer, {Axis::Query, 1}}));
    EXPECT_EQ(cross->axes, (Axes{Axis::Layer, {Axis::Query, 1}, {Axis::Key, 0}}));
    const Index S = cross->values.shape().back();
    for (Index row = 0; row < beside->values.size(); ++row) {
      double sum = beside->values.at(row);
      for (Index j = 0; j < S; ++j) sum += cross->values.at(row * S + j);
      EXPECT_NEAR(sum, 1, 1e-12) << name;
    }
  }
}

// Raw norms go through the layers as their shares do.
TEST(EncoderDecoderMixing, RollsOutRawNormsAsTheirShares) {
  const Json goldens = read_json_file(testing::golden_folder + "encoder_decoder.json");
  const MixingCase subject = open_mixing_case(goldens.at("cases")[1]);
  const auto rolled = [&](const char* normalise) {
    return aggregate(explain_mixing(*subject.study, "attention_norm_res", {{"normalise", normalise}}),
                     "rollout", Blend::RowSums, JointMixing(*subject.study), {});
  };
  const Attribution raw = rolled("none"), shares = rolled("rows");
  for (const Check& check : raw.checks) EXPECT_TRUE(check.passed) << check.name << " " << check.value;
  ASSERT_EQ(raw.maps.size(), 3U);
  for (std::size_t m = 0; m < raw.maps.size(); ++m)
    for (Index i = 0; i < raw.maps[m].values.size(); ++i)
      if (const double value = shares.maps[m].values.at(i); !std::isnan(value)) {
        EXPECT_NEAR(raw.maps[m].values.at(i), value, 1e-14) << raw.maps[m].name;
      }
}

// The working type and the memory for tiles change rounding only, and the latter nothing.
TEST(EncoderDecoderMixing, HoldsInFloat32AndForAnyTiles) {
  const Json goldens = read_json_file(testing::golden_folder + "encoder_decoder.json");
  for (const Json& golden : goldens.at("cases")) {
    const MixingCase wide = open_mixing_case(golden), narrow = open_mixing_case(golden, DType::Float32);
    for (const std::string& name : mixing_methods) {
      const Attribution exact = explain_mixing(*wide.study, name),
                        found = explain_mixing(*narrow.study, name);
      wide.study->scratch = 0;
      const Attribution tiled = explain_mixing(*wide.study, name);
      wide.study->scratch = default_scratch;
      for (std::size_t m = 0; m < exact.maps.size(); ++m)
        for (Index i = 0; i < exact.maps[m].values.size(); ++i) {
          const double value = exact.maps[m].values.at(i);
          if (std::isnan(value)) continue;
          EXPECT_NEAR(found.maps[m].values.at(i), value, 2e-3) << name;
          EXPECT_EQ(tiled.maps[m].values.at(i), value) << name;
        }
    }
  }
}

TEST(EncoderDecoderMixing, RefusesWhatMeansNothingForSeveralStacks) {
  const Json goldens = read_json_file(testing::golden_folder + "encoder_decoder.json");
  const MixingCase subject = open_mixing_case(goldens.at("cases")[0]);
  const std::vector<std::pair<std::string, std::map<std::string, std::string>>> refused{
      {"value_zeroing", {{"tokens", "1,2"}}},
      {"alti", {{"compat", "alti"}}},
      {"effective_attention", {{"compat", "sun2021"}}},
      {"hidden_token_attribution", {{"norm", "spectral"}}},
      {"hidden_token_attribution", {{"norm", "ones"}}},
      {"hidden_token_attribution", {{"wrt", "local"}}},
      {"hidden_token_attribution", {{"mode", "probes"}}},
      {"hidden_token_attribution", {{"head_outputs", "true"}}},
      {"attention_norm_res_ln", {}},
      {"globenc", {}}};
  for (const auto& [name, options] : refused)
    EXPECT_THROW(explain_mixing(*subject.study, name, options), Unsupported) << name;
}

TEST(EncoderDecoderMixing, RoundedDistancesStayWithinRounding) {
  const Json goldens = read_json_file(testing::golden_folder + "encoder_decoder.json");
  const MixingCase subject = open_mixing_case(goldens.at("cases")[0]);
  const auto distances = [&](const char* compat) {
    return explain_mixing(*subject.study, "value_zeroing", {{"normalise", "none"}, {"compat", compat}});
  };
  const Attribution exact = distances("none"), rounded = distances("fp32");
  double largest = 0;
  for (std::size_t m = 0; m < exact.maps.size(); ++m)
    for (Index i = 0; i < exact.maps[m].values.size(); ++i)
      if (const double value = exact.maps[m].values.at(i); !std::isnan(value))
        largest = std::max(largest, std::abs(rounded.maps[m].values.at(i) - value));
  EXPECT_GT(largest, 1e-12);
  EXPECT_LT(largest, 1e-6);
}

}  // namespace
}  // namespace headwater
