// What a caller asks for: an input, a target, methods with options.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <headwater/tensor.h>

namespace headwater {

struct LoadOptions {
  DType dtype = DType::Float32;
  std::string cache_dir;  // Hugging Face cache; empty: the environment's
  std::string revision;   // branch, tag or commit in the cache; empty: main
};

struct Input {
  std::string text;
  std::optional<std::string> pair;
  std::string image;        // path of a PNG or JPEG, for image models
  std::string prefix = {};  // encoder–decoders: what the output begins with
  int generate = 0;         // to explain what a model writes: first lets it write so many tokens, greedily
  bool truncate = false;    // cut a text that is too long instead of refusing it
  bool spaced = false;      // words are what stands between spaces, however the tokenizer cuts them
};

// Which number of the output is explained. Everything empty: the prediction itself.
//   label     a label's name, in any case where that fits one, or its index.
//             For question answering "start", "end", or a whole answer: "span" (the predicted one), "12-15"
//             (token positions) or a text of the context.
//             For language models a text, or a token's #id. A text is the token that would be predicted
//             there: of those that are shown so, with a space before them or without, the likeliest, if it
//             has nine tenths of their probability; otherwise the error names them. A space before the text
//             (" was"), the piece as the vocabulary spells it ("▁was", "Ġwas", "##ing") or the id settle it.
//             For text generation also a text of several tokens, or their ids "#471,29915": the target is the
//             sum of the tokens' log-probabilities, each predicted after those before it, which join the
//             input (Unit::target).
//   position  token position for token-wise heads; none: the first [MASK] (fill-mask), the last token
//             (generation), the first word (token classification), the predicted answer's. Several tokens at
//             an earlier position cut the text there
//   contrast  a second label: the target is the difference label − contrast. Of several tokens it may differ
//             from the target's in the last one only, or be a single token
struct TargetSpec {
  std::string label;
  std::string contrast;
  std::optional<int> position;
};

// A method as registered, or by one of its other names; options it does not name keep their defaults.
struct MethodSpec {
  std::string name;
  std::map<std::string, std::string> options;
  std::string aggregate;  // of a method with a map per layer: "rollout" or "flow" carries it through them
  // Run only where it takes little beside the rest, or where Request::budget allows it the time. Of
  // default_methods.
  bool if_affordable = false;
};

// What stands on the axes of a result. Words: a word's column is the sum of its tokens' columns, its row the
// mean of their rows, its score the sum of theirs. Special tokens ([CLS], [SEP], …): kept; hidden, the other
// numbers unchanged; or dropped, and rows that summed to 1 divided by what is left of them.
struct View {
  enum class Unit { Token, Word };
  enum class Special { Keep, Hide, Drop };
  Unit unit = Unit::Token;
  Special special = Special::Keep;
};

// How far a run has come. The callback runs on the caller's thread; an exception from it stops the run and
// comes out of explain().
struct Progress {
  std::string method;
  double done = 0;  // 0 … 1
};

struct Report;  // report.h

struct Request {
  Input input;
  TargetSpec target;
  std::vector<MethodSpec> methods;
  View view;
  // A text longer than the model is read in windows that share at least so many tokens; nothing: it is
  // refused. For classifiers of texts: every window is explained for the same label, and each token has the
  // score of the window in which more text stands on both its sides.
  std::optional<int> overlap = {};
  std::size_t max_memory = 0;  // bytes beyond the weights; 0: no bound
  // Seconds that methods which refine their result (integrated_gradients) may take: they stop earlier when
  // their tolerance is met, and say how far they came otherwise. What they need at the least they always
  // take. 0: by their options alone. A report's `asked` then names the steps that were taken, which give the
  // same bits again.
  double budget = 0;
  // Runs everything again in float64 and adds a check to every result. Loads the weights a second time, twice
  // as large. For float32 engines; others have nothing to compare with.
  bool verify = false;
  std::function<void(const Progress&)> progress;
  // After every method but the last: the report so far. On the caller's thread too.
  std::function<void(const Report&)> partial = {};
  // While a method that goes from layer to layer runs, a few times a second: the report so far, with what
  // there is of its map; layers that are to come are NaN.
  std::function<void(const Report&)> layers = {};
};

}  // namespace headwater
