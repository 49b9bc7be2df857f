// Evaluation: how faithful explanations are. Metrics (`headwater evaluate --list`) measure methods over many
// examples. Every figure has an interval, a random explanation is the baseline, and tests compare the
// methods. A few metrics measure the model itself, or rankings of its heads; these take the place of methods.
//
// Every method explains an example once. Inputs that metrics request (units removed, pixels made black) run
// in batches of equal length across examples. A figure depends neither on batches nor on threads.
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

// An input with its annotations; metrics that need an annotation leave out examples without it.
struct EvaluationExample {
  Input input;
  TargetSpec target;               // the target; without a label, EvaluateRequest::explained decides
  bool one_token = false;          // leave the example out unless target and contrast are one token each
  std::string gold;                // its label
  bool annotated = false;          // `evidence` was annotated, even if it is empty
  std::vector<TextSpan> evidence;  // words that annotators marked as the reason
  std::vector<TextSpan> cues;      // words that determine the target
  // Where the target's word is: a mask is put there, or for text generation the text ends there. An example
  // with a cue after it is then left out.
  std::optional<TextSpan> blank;
  std::string property;  // the property that a probe predicts: "plural"; empty: unknown
  std::string mask;      // path of a picture that marks the object
  std::string name;      // for messages: "dev.tsv:17"
};

struct MetricSpec {
  std::string name;
  std::map<std::string, std::string> options;
};

// The value of one metric for one method on one example. NaN: no value, and the example is left out.
struct EvaluationValue {
  double value = 0;
  std::vector<double> curve;  // for metrics with a curve, over EvaluationCell::x
  std::vector<double> parts;  // for metrics that are not a mean over examples: what is summed
};

// The values of one example: [metric][method], the random explanation last.
struct ExampleValues {
  std::size_t example = 0;  // its number, from 0
  std::vector<std::vector<EvaluationValue>> values;
  std::string left_out;  // why it was not explained; it then has no values
};

struct EvaluateRequest {
  std::vector<EvaluationExample> examples;
  std::vector<MethodSpec> methods;  // empty for a metric of the model itself
  std::vector<MetricSpec> metrics;  // a metric of the model itself must be the only one
  enum class Explained { Prediction, Gold } explained = Explained::Prediction;
  std::map<std::string, std::string> gold_labels;  // label names of the file → of the model, if they differ
  View::Unit unit = View::Unit::Token;             // what is removed at once
  // A text longer than the model's limit is read in windows that share at least this many tokens, and their
  // scores are joined; metrics that change the input are then refused. Without a value, Input::truncate
  // applies.
  std::optional<int> overlap;
  std::uint64_t seed = 0;  // seed of random explanations, random subsets and resamples
  int resamples = 2000;
  double level = 0.95;
  std::size_t max_memory = 0;  // bytes beyond the weights; 0: no bound
  // Only the values of these examples are measured, for `keep`. A table needs the values of all examples, so
  // the report of one of several shards has none.
  Shard shard;
  // The values of the first examples (of the shard), as an earlier run gave them to `keep`.
  std::vector<ExampleValues> before;
  std::function<void(const ExampleValues&)> keep;                       // called in the order of the examples
  std::function<void(const Progress&, std::size_t examples)> progress;  // number of finished examples
};

// The plan of an evaluation, known before it runs.
struct EvaluatePlan {
  std::size_t examples = 0, tokens = 0, longest = 0;  // tokens of all inputs and of the longest
  std::size_t explanations = 0;                       // one per method and input or window
  std::size_t changed_inputs = 0;                     // at most; equal ones run once
  std::size_t bytes = 0;                              // beyond the weights: an upper estimate
};

struct EvaluationMetric {
  std::string name;
  std::vector<std::pair<std::string, std::string>> options;              // as run, including defaults
  enum class Better { Higher, Lower, Neither } better = Better::Higher;  // Neither: it describes
  std::string curve_over;  // the curve's x axis; empty: no curve
};

struct EvaluationCell {
  std::string metric, method;
  double value = 0, low = 0, high = 0;
  std::size_t examples = 0;                   // number of examples with a value
  std::vector<double> x, curve, lows, highs;  // means over examples
};

// The test whether two methods differ on the same examples: Wilcoxon's signed-rank test, two-sided, with
// Holm's correction over all pairs of one metric, including those with the random explanation.
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
  std::size_t perturbed_inputs = 0;  // number of changed inputs that ran
  std::vector<std::string> notes;
  RunRecord record;
};

}  // namespace headwater
