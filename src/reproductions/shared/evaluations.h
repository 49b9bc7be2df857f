// Evaluations as experiments ask for them: one metric at a time, methods under names of their own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <headwater/engine.h>

namespace headwater {

// A method as a table calls it: options may differ under one method's name.
struct NamedMethod {
  std::string name;
  MethodSpec spec;
};

struct EvaluationPlan {
  std::vector<EvaluationExample> examples;
  EvaluateRequest::Explained explained = EvaluateRequest::Explained::Prediction;
  std::map<std::string, std::string> gold_labels = {};
  unsigned seed = 1;
  std::function<void(const Progress&)> progress = {};
};

// The figure of every method by the name given, and of "random".
std::map<std::string, EvaluationCell> evaluated(const Engine& engine, const EvaluationPlan& plan,
                                                const std::vector<NamedMethod>& methods,
                                                const MetricSpec& metric);

// "0.43 [0.38, 0.48]", times `scale`.
std::string interval(const EvaluationCell& cell, int decimals = 2, double scale = 1);

// Whether a method leads all others: decided only where neither's interval holds the other's figure.
struct Lead {
  std::string best;
  bool leads = false, decided = false;
  std::string evidence;  // the figures
};
enum class Better { Higher, Lower };
Lead lead_of(const std::string& ours, const std::map<std::string, EvaluationCell>& cells,
             const std::vector<NamedMethod>& methods, Better better);

}  // namespace headwater
