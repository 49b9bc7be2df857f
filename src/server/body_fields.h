// The fields of the bodies of requests.
#pragma once

#include <map>
#include <string>

#include "files/report_fields.h"
#include "server/bodies.h"

namespace headwater {

// A label by its name or its index.
struct LabelText {
  std::string text;
};
// A text, a number, true or false.
struct OptionValue {
  std::string text;
};
void read_value(const Json& json, const FieldPath& path, LabelText& label);
void read_value(const Json& json, const FieldPath& path, OptionValue& option);
// A name alone, or an object with options.
void read_value(const Json& json, const FieldPath& path, MethodSpec& method);
void read_value(const Json& json, const FieldPath& path, MetricSpec& metric);

template <class V>
void describe_label(V& v, const char* key, Of<std::string> auto& text, const char* help) {
  LabelText label{text};
  v.maybe(key, label, {.help = help});
  if constexpr (V::reads) text = label.text;
}

void describe_input(auto& v, Of<AskedInput> auto& asked) {
  auto& input = asked.input;
  v.maybe("text", input.text);
  v.maybe("pair", input.pair, {.help = "the second text of a pair, or a question's context"});
  v.maybe("prefix", input.prefix, {.help = "the beginning of an encoder–decoder's output"});
  v.maybe("generate", input.generate,
          {.help = "let a text-generation model write this many tokens first", .least = 0, .most = 512});
  v.maybe("truncate", input.truncate, {.help = "cut a text that is too long instead of refusing it"});
  v.maybe("image", asked.image, {.help = "PNG or JPEG in base64, alone or as a data: URL; never a path"});
}

void describe_model(auto& v, Of<std::string> auto& model) {
  v.maybe("model", model, {.help = "a name from /v1/models; default: the first"});
}

void describe_background(auto& v, Of<bool> auto& in_background) {
  v.maybe("async", in_background, {.help = "answer at once with a job, and compute in the background"});
}

void describe(auto& v, Of<AskedInput> auto& asked) {
  describe_model(v, asked.model);
  describe_input(v, asked);
}

void describe(auto& v, Of<AskedPrediction> auto& asked) {
  describe(v, asked.of);
  v.maybe("top", asked.top, {.help = "number of scores for a vocabulary head", .least = 1, .most = 1000});
}

void describe(auto& v, Of<TargetSpec> auto& target) {
  describe_label(v, "label", target.label, "a label, a token or an answer; none: the prediction");
  describe_label(v, "contrast", target.contrast, "a second target: the difference is explained");
  v.maybe("position", target.position,
          {.help = "token position, for token-wise heads", .least = -1, .most = 1 << 30});
}

void describe_methods(auto& v, auto& methods) {
  v.maybe("methods", methods, {.most = 32});
}

void describe(auto& v, Of<AskedExplanation> auto& asked) {
  describe(v, asked.of);
  v.maybe("targets", asked.targets, {.most = 16});
  describe_methods(v, asked.methods);
  v.object_where(true, "view", [&](auto& view) {
    view.maybe("unit", asked.view.unit);
    view.maybe("special", asked.view.special);
  });
  v.maybe(
      "budget", asked.budget,
      {.help =
           "seconds that methods which refine their result (integrated_gradients) may take; 0: only their "
           "options decide",
       .least = 0,
       .most = 3600});
  describe_background(v, asked.in_background);
}

void describe(auto& v, Of<AskedTree> auto& asked) {
  describe(v, asked.of);
  v.maybe("target", asked.target);
  v.maybe(
      "tau", asked.options.tau,
      {.help = "smallest attribution of an edge, as a share of its layer's largest", .least = 0, .most = 1});
  v.maybe("lambda", asked.options.lambda,
          {.help = "cost of an edge, as such a share", .least = 0, .most = 1e6});
  describe_background(v, asked.in_background);
}

void describe(auto& v, Of<AskedExample> auto& example) {
  describe_input(v, example.of);
  describe_label(v, "label", example.label, "the gold label");
  v.maybe("target", example.target);
}

void describe(auto& v, Of<AskedEvaluation> auto& asked) {
  describe_model(v, asked.model);
  v("examples", asked.examples, {.most = 256});
  describe_methods(v, asked.methods);
  v.maybe("metrics", asked.request.metrics, {.most = 32});
  v.maybe("seed", asked.request.seed,
          {.help = "seed of random explanations and resamples", .least = 0, .most = 9007199254740992.0});
  v.maybe("resamples", asked.request.resamples,
          {.help = "number of resamples of which the intervals are made", .least = 1, .most = 10000});
  describe_background(v, asked.in_background);
}

}  // namespace headwater
