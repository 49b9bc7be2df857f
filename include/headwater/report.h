// What a run gives back: the prediction, one Attribution per method with its own checks, and the record
// that lets somebody else repeat it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <headwater/model_info.h>
#include <headwater/request.h>
#include <headwater/sequence.h>
#include <headwater/tensor.h>

namespace headwater {

struct Score {
  // A label, or a token's text. Where several tokens of an outcome are shown alike, the likeliest has the
  // text alone, and the others their id behind it: "was #11102".
  std::string label;
  int index = 0;  // label index or token id
  double probability = 0;
  double logit = 0;
};

// One output row: the whole text, one token of a token-wise head, one [MASK], or the next token.
struct Outcome {
  int position = -1;       // token position, −1 for the whole input
  std::vector<Score> top;  // best first; all labels of a classifier, the best few of a vocabulary
};

struct Span {  // the answer of a question-answering head
  std::string text;
  int first_token = 0, last_token = 0;
  double probability = 0;
};

struct Prediction {
  Task task = Task::FeatureExtraction;
  std::vector<Sequence> sequences;  // of the input
  std::vector<Unit> units;          // of all of them
  std::vector<Outcome> outcomes;    // one for classifiers, one per token, mask or next token otherwise
  std::optional<Span> answer;       // question answering
  std::optional<std::string> continuation;  // text generation, when new tokens were asked for
  std::vector<int> continuation_ids;
  std::vector<double> logits;  // of the explained row, or of outcomes[0]; in label or token order
  Tensor hidden;               // feature extraction: [T, D]
  bool truncated = false;
};

struct TokenRange {
  int first = 0, last = 0;
};

struct Target {
  int position = -1;  // −1 for sequence-level heads
  int index = 0;
  std::string label;
  std::optional<int> contrast;
  std::string contrast_label;
  double logit = 0, probability = 0;  // of the target (the difference, with a contrast)
  // Text generation, a text of several tokens: their ids. `index` is the first of them, `position` the row
  // that predicts it, and the next rows predict the others: the input was moved on by all tokens but the
  // last. Then `logit` is the sum of the tokens' log-probabilities and `probability` their product, of the
  // target and of the contrast, whichever of the two has several.
  std::vector<int> tokens, contrast_tokens;
  // Question answering, a whole answer: its logit is start[first] + end[last], its probability the product of
  // the two; `position` is then its first token and `index` 0. A contrast is another answer.
  std::optional<TokenRange> span, contrast_span;
};

// A promise that was tested on this very result.
struct Check {
  std::string name;  // "rows sum to 1"
  bool passed = true;
  double value = 0;  // what was measured: here the largest deviation
  double bound = 0;  // what it was compared with
};

struct Attribution {
  std::string method;     // as registered
  std::string aggregate;  // "rollout" or "flow" if its maps were carried through the layers, else empty
  std::vector<std::pair<std::string, std::string>> options;  // as run, defaults included
  // One score per unit, one map (per layer, and head), or several of them: one for each kind of attention.
  std::vector<Map> maps = std::vector<Map>(1);
  // Of a score per token: which tokens were measured; empty: all. The others' scores only fill their places:
  // what is never taken away, what stands in the baseline, the token read itself, what a causal mask hides.
  std::vector<bool> measured;
  Tensor answer;  // the row the output was read from over all units, heads averaged: [layers, T], or the
                  // scores [1, T]
  std::vector<Map>
      details;  // more than scores: tables and curves that belong to the result ("rank" per head, …)
  std::vector<Check> checks;
  std::vector<std::string> notes;  // what a reader must know: near-zero maxima, saturation, …
  double seconds = 0;
  bool unfinished = false;  // of Request::layers: some layers are to come, and NaN

  // Of the first map; the only one but for encoder–decoders.
  Tensor& scores() { return maps.front().values; }
  const Tensor& scores() const { return maps.front().values; }
  Axes& axes() { return maps.front().axes; }
  const Axes& axes() const { return maps.front().axes; }
};

// What a result is called where several stand side by side: "chefer", "value_zeroing_rollout".
inline std::string name_of(const Attribution& result) {
  return result.aggregate.empty() ? result.method : result.method + "_" + result.aggregate;
}

// How far two results order the tokens alike: rank correlations, NaN where one side has no order. Per layer:
// the mean over the rows of both maps (heads averaged). Whole: the row the output was read from in the last
// layer, or the score per token, over the tokens (words, patches) that both have measured.
struct Agreement {
  std::string first, second;              // names of the results
  std::vector<double> kendall, spearman;  // τ-b and ρ per layer; empty unless both have a map per layer
  double whole_kendall = 0, whole_spearman = 0;
  int units = 0;  // how many the whole is over
};

struct RunRecord {
  std::string version;
  std::string model, commit, model_type, architecture;
  std::string cache_dir;  // where it was looked for, if the caller said
  std::string weights_sha256, tokenizer_sha256;
  std::string dtype;
  int threads = 0;
  std::vector<std::pair<std::string, std::string>> kernels;
  double seconds = 0;
};

struct Report {
  std::string text, pair, image;  // as given (image: the path)
  std::string prefix;             // encoder–decoders: the output as far as it is written
  std::string picture;            // image models: PNG of what the model saw, resized and cropped
  std::string fitted;             // what was lost by that: "squeezed from 640 × 400 to 64 × 64 pixels"
  ModelInfo model;
  Prediction prediction;
  Target target;
  std::string answer_token;  // whose row that is, when it was read from one
  std::vector<Attribution> attributions;
  std::vector<Agreement> agreement;  // of every pair of attributions
  RunRecord record;
  // What gives this report again: the request, its target named beyond doubt and its positions those of
  // tokens, whatever the view shows.
  Request asked;
};

}  // namespace headwater
