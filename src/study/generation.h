// Generation: a causal decoder or an encoder–decoder continues a text token by token, greedily or by beam
// search.
#pragma once

#include <string>
#include <vector>

#include "blocks/cache.h"
#include "models/model.h"
#include "study/inputs.h"

namespace headwater {

// A text that is being written, in one or more versions. With Reuse::KeysAndValues a new token costs one row
// instead of a run over all rows, and the logits are the same bits. Models that are not causal, or that keep
// nothing in the cache, run the whole text again.
class Writing {
 public:
  enum class Reuse { KeysAndValues, Nothing };
  // `start` holds one input: the text to continue, or source and prefix.
  Writing(const Model& model, const Batch& start, Reuse reuse = Reuse::KeysAndValues);

  // Logits of the next token, [V] per version.
  std::vector<std::vector<double>> next();
  // Continues with these versions, in this order, repeats allowed, and appends one token to each.
  void write(const std::vector<int>& versions, const std::vector<int>& tokens);
  const std::vector<int>& ids(std::size_t version = 0) const {
    return ids_[version];
  }                   // the start's tokens included
  bool full() const;  // no position is left for a token

 private:
  const Model& model_;
  std::vector<int> source_;            // encoder–decoders
  std::vector<std::vector<int>> ids_;  // by version
  KeyValueCache cache_;
  bool cached_;
};

struct GenerationOptions {
  int max_new_tokens = 0;
  std::vector<int> ends = {};  // any of these ends a text and stays in it
  Writing::Reuse reuse = Writing::Reuse::KeysAndValues;
};

struct Generated {
  std::vector<int> ids;  // the new tokens
  double score = 0;      // Σ log p / tokens
};

// Takes the likeliest token each time, the first of equals.
Generated generate_greedily(const Model& model, const Batch& start, const GenerationOptions& options);
// At most `beams` texts, best first. Throws InputError unless beams >= 1.
std::vector<Generated> search_beams(const Model& model, const Batch& start, int beams,
                                    const GenerationOptions& options);

struct Continuation {
  std::vector<int> ids;
  std::string text;
};
// The model's continuation of the input: greedy, or the best of several beams. Throws InputError unless it is
// a language model with max_new_tokens >= 0.
Continuation continue_text(const LoadedModel& loaded, const Batch& start, int max_new_tokens, int beams = 1);

}  // namespace headwater
