// The result of a run: the prediction, one Attribution per method with its own checks, and the record that
// repeats the run.
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
  // A label, or a token's text. If several tokens of an outcome look the same, the likeliest is shown as the
  // text alone and the others with their id: "was #11102".
  std::string label;
  // Label index or token id; −1: the label that applies where no logit is above 0 (ModelInfo::otherwise).
  int index = 0;
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
  std::vector<Unit> units;          // the units of all sequences
  std::vector<Outcome> outcomes;    // one for classifiers, one per token, mask or next token otherwise
  std::optional<Span> answer;       // question answering
  std::optional<std::string> continuation;  // text generation, if new tokens were requested
  std::vector<int> continuation_ids;
  std::vector<double> logits;  // logits of the explained row, or of outcomes[0]; in label or token order
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
  double logit = 0, probability = 0;  // of the target; with a contrast, the difference
  // Text generation with a target of several tokens: their ids. `index` is the first of them, `position` is
  // the row that predicts it, and the next rows predict the others, because all tokens except the last were
  // appended to the input. `logit` is then the sum of the tokens' log-probabilities and `probability` their
  // product. The same holds for the contrast, whichever of the two has several tokens.
  std::vector<int> tokens, contrast_tokens;
  // Question answering with a whole answer as the target: its logit is start[first] + end[last], its
  // probability the product of the two, `position` its first token and `index` 0. A contrast is another
  // answer.
  std::optional<TokenRange> span, contrast_span;
};

// A property that was tested on this result.
struct Check {
  std::string name;  // "rows sum to 1"
  bool passed = true;
  double value = 0;  // the measured value: here the largest deviation
  double bound = 0;  // the bound it was compared with
};

// Of scores per unit that share out one number: how much of it they account for. What is missing went
// elsewhere (to biases, to a softmax), or came from there.
struct Account {
  double sum = 0;    // of all scores
  double of = 0;     // what is shared out
  std::string what;  // its name: "the target's logit"
};
HEADWATER_API double share_of(const Account& account);  // sum / of; NaN where nothing was shared out

// What the numbers of a result mean. They come from its method's record when the result is named, and are only
// read afterwards: no writer, view or page asks for a method's name.
struct Traits {
  bool of_target = false;  // they depend on the target; otherwise they are the same for every target
  // Each layer's map describes that layer alone; other maps include what all layers below passed on.
  bool by_layer = false;
  // Attention without the residual path beside it, which a flow through the layers adds.
  bool attention_alone = false;
  bool is_signed = false;        // below 0 they count against the target
  bool rows_sum_to_one = false;  // of its maps, and with these options
  bool operator==(const Traits&) const = default;
};

struct Attribution {
  std::string method;     // as registered
  std::string aggregate;  // "rollout" or "flow" if its maps were combined across layers, otherwise empty
  std::vector<std::pair<std::string, std::string>> options;  // as run, including defaults
  Traits traits = {};
  // One score per unit, one map (per layer, and head), or one map for each kind of attention.
  std::vector<Map> maps = std::vector<Map>(1);
  // For a score per token: which tokens were measured; empty: all. The scores of the others are placeholders:
  // they are never removed, belong to the baseline, are the row's own token, or are hidden by a causal mask.
  std::vector<bool> measured;
  // The row the output was read from, over all units, averaged over heads: [layers, T], or the scores [1, T].
  Tensor answer;
  std::vector<Map> details;  // tables and curves that belong to the result ("rank" per head, …)
  std::vector<Check> checks;
  std::optional<Account> accounted;  // of methods that share out one number
  std::vector<std::string> notes;    // what a reader must know: near-zero maxima, saturation, …
  double seconds = 0;
  bool unfinished = false;  // in Request::layers: the layers that remain are NaN

  // The scores of the first map, which is the only one except for encoder–decoders.
  Tensor& scores() { return maps.front().values; }
  const Tensor& scores() const { return maps.front().values; }
  Axes& axes() { return maps.front().axes; }
  const Axes& axes() const { return maps.front().axes; }
};

// The name of a result among several: "chefer", "value_zeroing_rollout".
inline std::string name_of(const Attribution& result) {
  return result.aggregate.empty() ? result.method : result.method + "_" + result.aggregate;
}

// How similarly two results order the tokens: rank correlations, NaN if one side has no order. Per layer it
// is the mean over the rows of both maps (averaged over heads). The whole is over the row the output was read
// from in the last layer, or the score per token, for the tokens (words, patches) that both measured.
struct Agreement {
  std::string first, second;              // names of the results
  std::vector<double> kendall, spearman;  // τ-b and ρ per layer; empty unless both have a map per layer
  double whole_kendall = 0, whole_spearman = 0;
  int units = 0;  // number of units of the whole
};

struct RunRecord {
  std::string version;
  std::string model, commit, model_type, architecture;
  std::string cache_dir;  // the cache folder, if the caller gave one
  std::string weights_sha256, tokenizer_sha256;
  std::string dtype;
  int threads = 0;
  std::vector<std::pair<std::string, std::string>> kernels;
  double seconds = 0;
};

// A row of the last block that the output was computed from: a unit of this sequence, counted from its first.
struct Read {
  int sequence = 0;
  Index row = 0;
  bool operator==(const Read&) const = default;
};

struct Report {
  std::string text, pair, image;  // as given (image: the path)
  std::string prefix;             // encoder–decoders: the output written so far
  std::string picture;            // image models: PNG of what the model saw, resized and cropped
  std::string fitted;             // what was lost by that: "squeezed from 640 × 400 to 64 × 64 pixels"
  ModelInfo model;
  Prediction prediction;
  Target target;
  // The rows the target's logits were computed from, as the run recorded them: [CLS], the last token, several
  // for an answer or for a model that reads several tokens. In a view, those it shows.
  std::vector<Read> read;
  std::string answer_token;  // the tokens of those rows
  std::vector<Attribution> attributions;
  std::vector<Agreement> agreement;  // one for every pair of attributions
  RunRecord record;
  // The request that repeats this report: its target is unambiguous, and its positions count tokens, whatever
  // the view shows.
  Request asked;
};

}  // namespace headwater
