#include "methods/method.h"

#include <gtest/gtest.h>
#include <headwater/error.h>

namespace headwater {
namespace {

const MethodOption known[] = {
    {"steps", "integer", "8", ""}, {"ratio", "number", "0.5", ""}, {"mode", "a|b", "a", ""}};
const std::vector<MethodOption> bounded{
    {"steps", "integer", "8", "", 1, 10000},
    {"ratio", "number", "0.5", "", 0},
    {"share", "number", "0", "", -std::numeric_limits<double>::infinity(), 1}};

std::string refusal(const std::map<std::string, std::string>& given) {
  try {
    MethodOptions("m", known, given);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(MethodOptions, DefaultsFillWhatWasNotGiven) {
  const MethodOptions options("m", known, {{"ratio", "0.25"}});
  EXPECT_EQ(options.integer("steps"), 8);
  EXPECT_EQ(options.number("ratio"), 0.25);
  EXPECT_EQ(options.text("mode"), "a");
  const std::vector<std::pair<std::string, std::string>> all{
      {"steps", "8"}, {"ratio", "0.25"}, {"mode", "a"}};
  EXPECT_EQ(options.all(), all);
}

TEST(MethodOptions, NumbersStayWithinTheirBounds) {
  const auto said = [](const std::string& name, const std::string& value) -> std::string {
    try {
      MethodOptions("m", bounded, {{name, value}});
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_EQ(said("steps", "1"), "nothing was thrown");
  EXPECT_EQ(said("steps", "10000"), "nothing was thrown");
  EXPECT_EQ(said("steps", "1000000000"),
            "m: option steps: expected an integer from 1 to 10000, found '1000000000'");
  EXPECT_EQ(said("steps", "0"), "m: option steps: expected an integer from 1 to 10000, found '0'");
  EXPECT_EQ(said("ratio", "-0.5"), "m: option ratio: expected a number, at least 0, found '-0.5'");
  EXPECT_EQ(said("share", "1.5"), "m: option share: expected a number, at most 1, found '1.5'");
}

TEST(MethodOptions, RefusalsListWhatIsAllowed) {
  EXPECT_EQ(refusal({{"step", "1"}}), "m: expected options among steps, ratio, mode, found 'step'");
  EXPECT_EQ(refusal({{"steps", "1.5"}}), "m: option steps: expected an integer, found '1.5'");
  EXPECT_EQ(refusal({{"ratio", "x"}}), "m: option ratio: expected a number, found 'x'");
  EXPECT_EQ(refusal({{"ratio", "nan"}}), "m: option ratio: expected a number, found 'nan'");
  EXPECT_EQ(refusal({{"ratio", ""}}), "m: option ratio: expected a number, found ''");
  EXPECT_EQ(refusal({{"mode", "c"}}), "m: option mode: expected one of a, b, found 'c'");
  try {
    MethodOptions("m", {}, {{"x", "1"}});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "m: expected no options, found 'x'");
  }
  EXPECT_THROW(MethodOptions("m", known, {}).text("other"), InternalError);
}

TEST(FindMethod, NamesTheNearest) {
  EXPECT_EQ(find_method("attention_rollout").name, "attention_rollout");
  try {
    find_method("atention");
    FAIL();
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("'atention'"), std::string::npos) << message;
    EXPECT_NE(message.find("nearest are attention,"), std::string::npos) << message;
  }
}

TEST(FindMethod, KnowsTheNamesThatOthersUse) {
  for (const auto& [given, name] : std::initializer_list<std::pair<const char*, const char*>>{
           {"ig", "integrated_gradients"},
           {"IntegratedGradients", "integrated_gradients"},
           {"gradcam", "grad_cam"},
           {"Grad-CAM", "grad_cam"},
           {"gradxinput", "input_x_gradient"},
           {"shap", "kernel_shap"},
           {"rollout", "attention_rollout"},
           {"flow", "attention_flow"},
           {"vz", "value_zeroing"},
           {"AttnLRP", "attn_lrp"},
           {"SmoothGrad", "smooth_grad"},
           {"lrp", "lrp"}})
    EXPECT_EQ(find_method(given).name, name) << given;
  EXPECT_EQ(method_named(""), nullptr);
  EXPECT_EQ(method_named("_"), nullptr);
}

TEST(FindMethod, NoTwoMethodsShareAName) {
  std::map<std::string, std::string_view> owners;
  for (const Method* method : all_methods()) {
    std::vector<std::string_view> names = method->aliases;
    names.push_back(method->name);
    for (const std::string_view name : names)
      EXPECT_TRUE(owners.emplace(plain_name(name), method->name).second)
          << name << " is " << owners[plain_name(name)] << " and " << method->name;
  }
}

TEST(Questions, EveryMethodAnswersTheOneItIsListedUnder) {
  std::size_t listed = 0;
  for (const Question question : all_questions)
    for (const Method* method : methods_asked(question)) {
      ++listed;
      EXPECT_TRUE(!method->needs_target || question == Question::Answer || question == Question::Heads)
          << method->name << " explains an output";
      EXPECT_TRUE(question != Question::Mixing || !method->needs_target) << method->name;
      EXPECT_TRUE(question == Question::Mixing || method->mixing == Mixing::None)
          << method->name << " has a map of mixing per layer";
    }
  EXPECT_EQ(listed, all_methods().size());
  EXPECT_EQ(text_of(find_method("integrated_gradients").question), "which inputs does the answer depend on?");
  EXPECT_EQ(text_of(find_method("alti").question), "which token reads which?");
  EXPECT_EQ(text_of(find_method("effective_attention").question),
            "how far are attention and tokens identifiable?");
  EXPECT_EQ(text_of(find_method("attattr").question), "which heads matter, and what do they pass on?");
}

std::string never_causal(const ModelInfo& info) {
  return info.last().causal ? "m: reads both ways; use another" : "";
}

TEST(RequireSupported, GivesTheReason) {
  const Method plain{.name = "m"}, aimed{.name = "m", .needs_target = true},
      choosy{.name = "m", .unsupported = never_causal};
  ModelInfo info;
  info.architecture = "BertModel";
  info.task = Task::FeatureExtraction;
  EXPECT_NO_THROW(require_supported(plain, info));
  EXPECT_NO_THROW(require_supported(choosy, info));
  EXPECT_THROW(require_supported(aimed, info), Unsupported);
  info.task = Task::TextGeneration;
  EXPECT_NO_THROW(require_supported(aimed, info));
  info.last().causal = true;
  try {
    require_supported(choosy, info);
    FAIL();
  } catch (const Unsupported& error) {
    EXPECT_STREQ(error.what(), "m: reads both ways; use another");
  }
}

}  // namespace
}  // namespace headwater
