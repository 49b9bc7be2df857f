// The service's own answers; answer_fields.h lists their fields.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <headwater/model_info.h>

namespace headwater {

// An input that an empty page offers to begin with; what it does not say it does not have.
struct GuidedExample {
  std::string title, text = {}, pair = {}, image = {}, prefix = {}, target = {}, contrast = {};
  std::string row = {};  // the word that the example is about
  std::string tab = {};
  std::vector<std::string> methods = {};
};

struct ListedModel {
  std::string id;
  bool loaded = false;
  std::string input;                // the kind of input
  std::optional<std::string> mask;  // the token of an unknown word
  ModelInfo info;
  std::vector<std::string> default_methods;
  std::vector<GuidedExample> examples;
};

struct PlannedMethod {
  std::string method;
  std::size_t bytes = 0;
  std::optional<double> seconds;
  std::optional<std::string> basis;
};

struct ExplanationPlan {
  std::vector<PlannedMethod> data;
  std::string command, python;
};

struct ListedModels {
  std::vector<ListedModel> data;
};

// A list of records.
template <class T>
struct DataOf {
  std::vector<T> data;
};

}  // namespace headwater
