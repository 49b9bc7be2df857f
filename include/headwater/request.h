// What a caller requests: an input, a target, methods with options.
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
  std::string cache_dir;  // Hugging Face cache; empty: from the environment
  std::string revision;   // branch, tag or commit in the cache; empty: main
};

struct Input {
  std::string text;
  std::optional<std::string> pair;
  std::string image;        // path of a PNG or JPEG, for image models
  std::string prefix = {};  // encoder–decoders: the beginning of the output
  int generate = 0;         // first let the model write this many tokens greedily, to explain them
  bool truncate = false;    // cut a text that is too long instead of refusing it
  bool spaced = false;      // words are separated by spaces, however the tokenizer cuts them
};

// The number of the output that is explained. If everything is empty, it is the prediction itself.
//   label     A label's name, in any case where that fits one label, or its index.
//             For question answering "start", "end", or a whole answer: "span" (the predicted one), "12-15"
//             (token positions) or a text of the context.
//             For language models a text, or a token's #id. A text names the token that would be predicted
//             there: the likeliest of those that look like it, with a space before them or without, if it has
//             nine tenths of their probability; otherwise the error lists them. A space before the text
//             (" was"), the piece as the vocabulary spells it ("▁was", "Ġwas", "##ing") or the id decides.
//             For text generation also a text of several tokens, or their ids "#471,29915": the target is the
//             sum of the tokens' log-probabilities, each predicted after those before it, which are appended
//             to the input (Unit::target).
//   position  The token position for token-wise heads. Default: the first [MASK] (fill-mask), the last token
//             (generation), the first word (token classification), the predicted answer's. With several
//             tokens an earlier position cuts the text there.
//   contrast  A second label: the target is the difference label − contrast. A contrast of several tokens may
//             differ from the target's only in the last one; it may also be a single token.
struct TargetSpec {
  std::string label;
  std::string contrast;
  std::optional<int> position;
};

// A method by its registered name or another of its names; options that are not given keep their defaults.
struct MethodSpec {
  std::string name;
  std::map<std::string, std::string> options;
  std::string aggregate;  // for a method with a map per layer: "rollout" or "flow" combines the layers
  // Run the method only if it takes little time beside the rest, or if Request::budget allows it. For
  // default_methods.
  bool if_affordable = false;
};

// The units on the axes of a result. For words, a word's column is the sum of its tokens' columns, its row
// the mean of their rows, and its score the sum of theirs. Special tokens ([CLS], [SEP], …) are kept; hidden,
// with the other numbers unchanged; or dropped, and rows that summed to 1 are divided by what is left of
// them.
struct View {
  enum class Unit { Token, Word };
  enum class Special { Keep, Hide, Drop };
  Unit unit = Unit::Token;
  Special special = Special::Keep;
};

// The progress of a run. The callback runs on the caller's thread; an exception from it stops the run and is
// thrown by explain().
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
  // Seconds for methods that refine their result (integrated_gradients). They stop earlier when their tolerance
  // is met, and otherwise say how far they came. They always take the least time that they need. 0: their
  // options alone decide. A report's `asked` then names the steps that were taken; these give the same bits again.
  double budget = 0;
  // Runs everything again in float64 and adds a check to every result. This loads the weights a second time,
  // twice as large. Only float32 engines can do it; others have nothing to compare with.
  bool verify = false;
  std::function<void(const Progress&)> progress;
  // Called after every method except the last with the report so far, also on the caller's thread.
  std::function<void(const Report&)> partial = {};
  // Called a few times a second while a method goes from layer to layer, with the report so far and the
  // finished part of its map; the layers that remain are NaN.
  std::function<void(const Report&)> layers = {};
};

}  // namespace headwater
