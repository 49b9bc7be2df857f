// A run of one input with every value kept: read any of them, edit them on the way, replay from changed ones,
// and take gradients anywhere.
//
//   auto run = engine.run({.text = "not bad at all"});
//   Tensor pattern = run.at({"encoder", "pattern", 3});               // [heads, query, key]
//   auto without = engine.run(input, {{.at = {"", "z", 3}, .heads = {2}}});   // one head zeroed
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <headwater/export.h>
#include <headwater/sequence.h>
#include <headwater/tensor.h>

namespace headwater {

// Where a value stands, in TransformerLens' words: "embed", "resid_pre", "q", "k", "v", "attn_scores",
// "pattern", "z", "attn_out", "resid_mid", "mlp_pre", "mlp_post", "mlp_out", "resid_post", "final_norm",
// "pooled", "logits"; of attention to another stack "cross_q" and so on.
struct PlaceName {
  std::string stack;  // of ModelInfo::stacks; empty: the last; "pooled" and "logits" are in none
  std::string site;
  int layer = 0;
  bool operator==(const PlaceName&) const = default;
};

// A change made while the model runs. Without `values` what stands there is multiplied by `factor`: 0 takes
// it away.
struct PlaceEdit {
  PlaceName at;
  double factor = 0;
  Tensor values = {};           // what stands there instead, in the value's shape
  std::vector<int> heads = {};  // of q, k, v, z, scores and patterns: these alone; empty: all
  std::vector<int> rows = {};   // these units (of scores and patterns: queries) alone; empty: all
};

// Changed copies of one value, for a replay: [n, …] where the run has […].
struct PlaceChange {
  PlaceName at;
  Tensor copies;
};

// Values have no batch axis. Cheap to copy; const and thread-safe; outlives its engine.
class HEADWATER_API RecordedRun {
 public:
  struct Impl;
  explicit RecordedRun(std::shared_ptr<const Impl> impl);  // by Engine::run
  const std::vector<Sequence>& sequences() const;
  const std::vector<Unit>& units() const;
  std::vector<PlaceName> places() const;  // in the order they were computed; each has its stack's name
  bool has(const PlaceName& place) const;
  Tensor at(const PlaceName& place) const;  // throws InputError for what the run has not
  Tensor logits() const;                    // [labels], or a row for every unit: [T, V]

  // For F = Σ seed ⊙ value at `from`, ∂F/∂value at each of these places. The seed has the value's shape, or
  // one axis before it: many seeds at once, and each result has that axis too. Zeros where nothing of `from`
  // depends on the place.
  std::vector<Tensor> gradients(std::span<const PlaceName> places, const PlaceName& from,
                                const Tensor& seed) const;
  Tensor gradient(const PlaceName& place, const Tensor& seed, const PlaceName& from = {"", "logits"}) const;

  // What the value at `to` had been with each of these copies, one after the other: [Σ n, …]. The same bits
  // as a run edited so; only what depends on a change is computed.
  Tensor replay(std::span<const PlaceChange> changes, const PlaceName& to = {"", "logits"}) const;

  // Both throw Unsupported where an edit of this run lies on the way: take the value behind it.

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace headwater
