// What a body asks for, checked field by field: a wrong type, a field nobody knows or a number beyond its
// limit is an InputError that names it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <headwater/engine.h>

#include "base/json.h"
#include "server/picture.h"

namespace headwater {

struct InputLimits {
  int tokens = 2048;                          // of all texts of an input
  std::uint64_t pixels = 1 << 24;             // of a picture, before the model's own scaling
  std::size_t memory = std::size_t{4} << 30;  // bytes an explanation may plan beyond the weights
};

// An input, and the picture it points to.
struct AskedInput {
  std::string model;
  Input input;
  std::string image;  // as it was sent, until it is a picture
  std::shared_ptr<const PictureFile> picture;
};

struct AskedExplanation {
  AskedInput of;
  std::vector<TargetSpec> targets;  // at least one
  std::vector<MethodSpec> methods;  // at least one
  View view;
  double budget = 0;  // seconds for methods that refine their results; 0: by their options alone
  bool in_background = false;
};

struct AskedTree {
  AskedInput of;
  TargetSpec target;
  TreeOptions options;
  bool in_background = false;
};

struct AskedExample {
  AskedInput of;
  TargetSpec target;
  std::string label;
};

struct AskedEvaluation {
  std::string model;
  std::vector<AskedExample> examples;
  std::optional<std::vector<MethodSpec>> methods;
  EvaluateRequest request;  // made of them
  bool in_background = false;
};

struct AskedPrediction {
  AskedInput of;
  int top = 5;
};

Json body_of(
    const std::string& text);  // an object, or InputError; of so many values at most that it is small
std::string model_of(const Json& body);  // its name; empty: none was given
AskedInput asked_input(const Json& body, const Engine& engine, const InputLimits& limits);  // /v1/tokenize
AskedPrediction asked_prediction(const Json& body, const Engine& engine, const InputLimits& limits);
AskedExplanation asked_explanation(const Json& body, const Engine& engine, const InputLimits& limits);
AskedTree asked_tree(const Json& body, const Engine& engine, const InputLimits& limits);
AskedEvaluation asked_evaluation(const Json& body, const Engine& engine, const InputLimits& limits);

}  // namespace headwater
