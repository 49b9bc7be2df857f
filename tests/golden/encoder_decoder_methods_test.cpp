// Methods on an encoder–decoder against independent programs (make_encoder_decoder_goldens.py says what each
// number is): attention and what is taken through its steps, gradients, perturbation, attributions to
// attention, relevance.
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/json.h"
#include "checkpoint/checkpoint.h"
#include "methods/method.h"
#include "models/family.h"
#include "support/encoder_decoder_cases.h"
#include "support/golden_models.h"
#include "text/tokenizer.h"

namespace headwater {
namespace {

// What the program has under the golden's name: of a relevance that is read from one row the mask's future is
// 0 there, and NaN here.
const Map* found_map(const Attribution& result, std::string name) {
  if (name == "units") name = "";
  for (const Map& map : result.maps)
    if (map.name == name) return &map;
  for (char& c : name)
    if (c == ' ') c = '_';
  for (const Map& map : result.details)
    if (map.name == name) return &map;
  return nullptr;
}

struct MethodCase {
  std::shared_ptr<const Model> model;
  std::optional<Study> study, without_specials;
};

MethodCase open_case(const Json& golden) {
  const std::string folder =
      (testing::encoder_decoder_folder() / golden["model"].get<std::string>()).string();
  MethodCase made{.model = load_model(open_checkpoint(find_model(folder, {}), DType::Float64))};
  const std::shared_ptr<const Tokenizer> tokenizer = Tokenizer::load(folder);
  Encoding source = tokenizer->encode(golden["source"]["text"].get<std::string>(), {}, {});
  Encoding prefix =
      tokenizer->encode(golden["prefix"]["text"].get<std::string>(), {}, {.add_special_tokens = false});
  prefix.tokens.insert(prefix.tokens.begin(), Token{.id = 0, .special = true});
  EXPECT_EQ(source.ids(), golden["source"]["ids"].get<std::vector<int>>());
  EXPECT_EQ(prefix.ids(), golden["prefix"]["ids"].get<std::vector<int>>());
  const Prepared prepared{
      .batch = Batch{.ids = {source.ids()}, .prefix = {prefix.ids()}}, .encoding = prefix, .source = source};
  made.study.emplace(*made.model, prepared.batch, units_of(made.model->info(), prepared));
  made.without_specials.emplace(*made.model, prepared.batch);
  for (Study* study : {&*made.study, &*made.without_specials})
    study->special_ids = {.mask = {}, .unknown = 2, .pad = 0, .cls = {}};
  return made;
}

// Sums over an integral that the golden has exactly and the program to a tolerance.
double allowed_for(const Json& result) {
  const std::string method = result["method"];
  const bool to_tolerance =
      (method == "integrated_gradients" || method == "attattr") && !result["options"].contains("rule");
  return to_tolerance ? 0.01 : 1e-9;
}

bool all_pass(const Attribution& result) {
  return std::all_of(result.checks.begin(), result.checks.end(),
                     [](const Check& check) { return check.passed; });
}

TEST(EncoderDecoderMethods, EqualIndependentPrograms) {
  const std::set<std::string> ours{
      "attention",         "attention_rollout", "attention_flow", "saliency",
      "input_x_gradient",  "occlusion",         "kernel_shap",    "integrated_gradients",
      "generic_attention", "attattr",           "attn_lrp",       "cp_lrp",
      "epsilon_lrp",       "gamma_lrp",         "decompx"};
  const Json goldens = read_json_file(testing::golden_folder + "encoder_decoder.json");
  int compared = 0, unresolved = 0;
  double worst = 0;
  for (const Json& golden : goldens["cases"]) {
    MethodCase subject = open_case(golden);
    for (const Json& result : golden["results"]) {
      const std::string name = result["method"];
      // transpose=no is no published form.
      if (!ours.contains(name) || result["options"].contains("transpose")) continue;
      // The golden's mean is over all tokens, special ones included, so that there nobody may know which are.
      const bool mean = result["options"].value("replace", result["options"].value("baseline", "")) == "mean";
      if (mean && result["options"].value("special_tokens", "") == "keep") continue;
      Study& study = mean ? *subject.without_specials : *subject.study;
      SCOPED_TRACE(golden["model"].get<std::string>() + " " + name + " " + result["options"].dump());
      std::map<std::string, std::string> options;
      for (const auto& [key, value] : result["options"].items()) options[key] = value.get<std::string>();
      if (name == "kernel_shap") options["samples"] = "2048";  // all coalitions of eleven tokens
      const Json& target =
          golden["targets"][result["target"].is_null() ? 0 : result["target"].get<std::size_t>()];
      study.aim({.position = target["position"].get<int>(), .index = target["id"].get<int>()});
      const Method& method = find_method(name);
      const Attribution found = method.run(study, MethodOptions(method.name, method.options, options));
      // From zeros the way through a pre-norm block is not resolved, and the result says so.
      if (allowed_for(result) > 1e-6 && !all_pass(found)) {
        ++unresolved;
        continue;
      }
      for (const Json& map : result["maps"]) {
        const Map* own = found_map(found, map["name"]);
        ASSERT_NE(own, nullptr) << map["name"];
        const auto expected = map["values"].get<std::vector<double>>();
        ASSERT_EQ(own->values.size(), static_cast<Index>(expected.size())) << map["name"];
        double largest = 1e-3;
        for (const double v : expected) largest = std::max(largest, std::abs(v));
        for (std::size_t i = 0; i < expected.size(); ++i) {
          const double value = own->values.at(static_cast<Index>(i));
          const double apart = std::isnan(value) ? std::abs(expected[i]) : std::abs(value - expected[i]);
          if (allowed_for(result) < 1e-6) worst = std::max(worst, apart / largest);
          ASSERT_LE(apart, allowed_for(result) * largest) << map["name"] << " " << i;
        }
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 200);
  EXPECT_LE(unresolved, 3);
  fmt::print("encoder–decoder methods: {} maps, largest difference {:.1e}\n", compared, worst);
}

}  // namespace
}  // namespace headwater
