// Attention heads over a labelled file: which heads matter, how the model does without them, and which tokens
// they single out.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <headwater/export.h>
#include <headwater/report.h>
#include <headwater/request.h>
#include <headwater/tensor.h>

namespace headwater {

struct LabelledInput {
  Input input;
  std::string label;  // a label's name or index
};

// Settings of a run over labelled inputs.
struct LabelledRun {
  std::size_t max_memory = 0;                     // bytes beyond the weights; 0: no bound
  std::function<void(const Progress&)> progress;  // as in a Request
};

// The plan of such a run, known before it runs.
struct LabelledPlan {
  std::size_t inputs = 0, tokens = 0, longest = 0;  // tokens of all inputs and of the longest
  std::size_t studies = 0;                          // inputs that are run or pulled through one by one
  std::size_t masks = 0;  // runs over all inputs without some heads; equal ones run once
  std::size_t bytes = 0;  // beyond the weights: an upper estimate
};

// The importance of every head by one ranking:
//   attattr              mean over inputs of the largest attribution of the head (Hao et al., 2021)
//   attention            mean over inputs of its largest attention weight (the mean weight is 1/T for all)
//   taylor               mean over inputs of |Σ A ⊙ ∂loss/∂A| (Michel et al., 2019)
//   taylor_published     what the released script of AttAttr computes under that name:
//                        Σ |z · ∂(sum of logits)/∂z| per token, divided by its length in every layer
//   accuracy_difference  accuracy of the whole model minus accuracy without the head
struct HeadImportance {
  std::string ranking;
  int layers = 0, heads = 0, inputs = 0;
  std::vector<double> scores;  // [layers × heads]
  int unresolved = 0;          // inputs whose attributions missed their tolerance (attattr)
  std::vector<Check> checks;   // of the worst input
  RunRecord record;
};
HEADWATER_API std::vector<std::string> head_rankings();

struct PruningOptions {
  std::vector<double> rates{0, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1};  // share of heads removed
  int random_orders = 5;                                                // random orders in the baseline
  unsigned seed = 1;
  bool by_layer = true;  // add curves that remove the same share of every layer
};

// Accuracy as heads are removed. A removed head's attention is 0 after the softmax.
struct PruningCurve {
  std::string ranking;  // a ranking of HeadImportance, or "random"
  std::string scope;    // "global": over all heads; "layer": the same share of every layer
  std::string order;    // "least": the least important first, "most"; "random"
  std::vector<double> rates, accuracy;
  std::vector<double> lowest, highest;  // bounds of the random orders
};

struct PruningReport {
  int inputs = 0;
  std::vector<PruningCurve> curves;  // one for every ranking, then the random one
  std::vector<Check> checks;
  RunRecord record;
};

// Trigger patterns (Hao et al., 2021): token pairs with extreme attribution, inserted into other inputs.
struct TriggerOptions {
  int inputs = 500;     // number of labelled inputs from which patterns are taken
  int patterns = 3;     // number tried per label, strongest first
  double least = 0.02;  // smallest sum of a pattern's two largest attributions
  double second = 0.2;  // the second pair counts if it is at least this share of the first
  int shortest = 0;     // smallest number of tokens of an input that gives a pattern
  // The allowed error of an attribution, as a share of its layer's largest. It is smaller than a map needs,
  // because single entries decide; an activation with a kink (relu) needs a still smaller one.
  double tolerance = 1e-3;
};

struct TriggerToken {
  int id = 0;
  std::string text;
  int sequence = 0;
  double place = 0;  // relative position in its sequence
};

struct Trigger {
  std::string label;  // predicted for the input it was taken from
  std::string source;
  std::vector<TriggerToken> tokens;
  double strength = 0;           // sum of the two largest attributions
  std::vector<double> accuracy;  // per gold label, with the trigger inserted
};

struct TriggerReport {
  std::vector<std::string> labels;
  std::vector<int> inputs;        // per gold label
  std::vector<double> accuracy;   // per gold label, before the triggers
  std::vector<Trigger> triggers;  // strongest first
  int unresolved = 0;             // sources whose attributions missed the tolerance
  int cut = 0;                    // times that the model's limit cut the end of an input with a trigger
  std::vector<Check> checks;
  RunRecord record;
};

}  // namespace headwater
