// Evaluation: how far an explanation can be trusted. Methods are measured over many examples by metrics
// (`headwater evaluate --list`), each figure with an interval, a random explanation beside them, and tests
// between methods. A few measure the model itself, or rankings of its heads; these stand where methods do.
//
// An example is explained once by every method. Inputs that metrics ask for (units taken away, pixels made
// black) are run in batches of equal length across examples; a figure depends neither on them nor on threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <headwater/export.h>
#include <headwater/report.h>
#include <headwater/request.h>
#include <headwater/shard.h>

namespace headwater {

struct TextSpan {
  Index begin = 0, end = 0;  // bytes of the text
};

// An input with what people say about it; metrics that need what is not there leave the example out.
struct EvaluationExample {
  Input input;
  TargetSpec target;               // what is explained; no label: as EvaluateRequest::explained says
  bool one_token = false;          // target and contrast are words of one token each, or it is left out
  std::string gold;                // its label
  bool annotated = false;          // `evidence` was looked for, though perhaps there is none
  std::vector<TextSpan> evidence;  // what people marked as the reason
  std::vector<TextSpan> cues;      // words that decide the target
  // Where the target's word stands: a mask is put there, or the text ends there for text generation. An
  // example with a cue behind it is then left out.
  std::optional<TextSpan> blank;
  std::string property;  // what a probe is to tell of the target: "plural"; empty: unknown
  std::string mask;      // path of a picture: where the object is
  std::string name;      // for messages: "dev.tsv:17"
};

struct MetricSpec {
  std::string name;
  std::map<std::string, std::string> options;
};

// What one metric says of one method on one example. NaN: nothing, and the example is left out.
struct EvaluationValue {
  double value = 0;
  std::vector<double> curve;  // of metrics with one, over EvaluationCurve::x
  std::vector<double> parts;  // of metrics that are no mean over examples: what is summed
};

// Of one example: [metric][method], the random explanation last.
struct ExampleValues {
  std::size_t example = 0;  // its number, from 0
  std::vector<std::vector<EvaluationValue>> values;
  std::string left_out;  // why it was not explained; then there are no values
};

struct EvaluateRequest {
  std::vector<EvaluationExample> examples;
  std::vector<MethodSpec> methods;  // none for a metric of the model itself
  std::vector<MetricSpec> metrics;  // one of the model itself stands alone
  enum class Explained { Prediction, Gold } explained = Explained::Prediction;
  std::map<std::string, std::string> gold_labels;  // the files' names → the model's, where they differ
  View::Unit unit = View::Unit::Token;             // what is taken away at once
  // A text longer than the model is read in windows that share at least so many tokens, and its scores are
  // put together; metrics that change the input are then refused. Nothing: as Input::truncate says.
  std::optional<int> overlap;
  std::uint64_t seed = 0;  // of random explanations, random subsets and resamples
  int resamples = 2000;
  double level = 0.95;
  std::size_t max_memory = 0;  // bytes beyond the weights; 0: no bound
  // Only the values of these examples are measured, for `keep`; a table has those of all, and the report of
  // one of several shards none.
  Shard shard;
  // The first examples (of the shard), as an earlier run gave them to `keep`.
  std::vector<ExampleValues> before;
  std::function<void(const ExampleValues&)> keep;                       // in the order of the examples
  std::function<void(const Progress&, std::size_t examples)> progress;  // how many are done
};

// What an evaluation would take, said before it is made.
struct EvaluatePlan {
  std::size_t examples = 0, tokens = 0, longest = 0;  // tokens: of all inputs, and of the longest
  std::size_t explanations = 0;                       // by a method, of an input or a window
  std::size_t changed_inputs = 0;                     // at most: equal ones are run once
  std::size_t bytes = 0;                              // beyond the weights: an upper estimate
};

struct EvaluationMetric {
  std::string name;
  std::vector<std::pair<std::string, std::string>> options;              // as run, defaults included
  enum class Better { Higher, Lower, Neither } better = Better::Higher;  // neither: it describes
  std::string curve_over;  // what the curve's x is; empty: no curve
};

struct EvaluationCell {
  std::string metric, method;
  double value = 0, low = 0, high = 0;
  std::size_t examples = 0;                   // that have a value
  std::vector<double> x, curve, lows, highs;  // means over examples
};

// Do two methods differ on the same examples? Wilcoxon's signed-rank test, two-sided; Holm's correction over
// all pairs of one metric, those with the random explanation included.
struct EvaluationPair {
  std::string metric, first, second;
  double difference = 0;  // mean of first − second
  double p = 1, adjusted = 1;
  std::size_t examples = 0;
};

struct EvaluateReport {
  ModelInfo model;
  std::size_t examples = 0, left_out = 0;
  std::vector<EvaluationMetric> metrics;
  std::vector<std::string> methods;  // as named in cells, "random" last
  std::vector<EvaluationCell> cells;
  std::vector<EvaluationPair> pairs;
  std::uint64_t seed = 0;
  int resamples = 0;
  double level = 0;
  std::size_t perturbed_inputs = 0;  // that were run
  std::vector<std::string> notes;
  RunRecord record;
};

}  // namespace headwater
