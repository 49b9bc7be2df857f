// A run of one input with every value kept: you can read any of them, edit them during the run, replay from
// changed ones, and take gradients anywhere.
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

// The place of a value, in TransformerLens' words: "embed", "resid_pre", "q", "k", "v", "attn_scores",
// "pattern", "z", "attn_out", "resid_mid", "mlp_pre", "mlp_post", "mlp_out", "resid_post", "final_norm",
// "pooled", "logits"; for cross-attention "cross_q" and so on.
struct PlaceName {
  std::string stack;  // a name of ModelInfo::stacks; empty: the last; "pooled" and "logits" are in none
  std::string site;
  int layer = 0;
  bool operator==(const PlaceName&) const = default;
};

// A change made while the model runs. Without `values` the value is multiplied by `factor`; 0 removes it.
struct PlaceEdit {
  PlaceName at;
  double factor = 0;
  Tensor values = {};           // the new value, in the value's shape
  std::vector<int> heads = {};  // for q, k, v, z, scores and patterns: only these heads; empty: all
  std::vector<int> rows = {};   // only these units (for scores and patterns: queries); empty: all
};

// Changed copies of one value for a replay: [n, …] where the run has […].
struct PlaceChange {
  PlaceName at;
  Tensor copies;
};

// Values have no batch axis. A run is cheap to copy, const and thread-safe, and may outlive its engine.
class HEADWATER_API RecordedRun {
 public:
  struct Impl;
  explicit RecordedRun(std::shared_ptr<const Impl> impl);  // made by Engine::run
  const std::vector<Sequence>& sequences() const;
  const std::vector<Unit>& units() const;
  std::vector<PlaceName> places() const;  // in the order they were computed; each has its stack's name
  bool has(const PlaceName& place) const;
  Tensor at(const PlaceName& place) const;  // throws InputError for a place that the run does not have
  Tensor logits() const;                    // [labels], or a row for every unit: [T, V]

  // ∂F/∂value at each of these places, for F = Σ seed ⊙ value at `from`. The seed has the value's shape, or
  // one axis before it for many seeds at once, and each result then has that axis too. A result is zero if
  // nothing of `from` depends on the place.
  std::vector<Tensor> gradients(std::span<const PlaceName> places, const PlaceName& from,
                                const Tensor& seed) const;
  Tensor gradient(const PlaceName& place, const Tensor& seed, const PlaceName& from = {"", "logits"}) const;

  // The value at `to` for each of these copies, one after the other: [Σ n, …]. It has the bits of a run
  // edited in the same way, and only what depends on a change is computed.
  Tensor replay(std::span<const PlaceChange> changes, const PlaceName& to = {"", "logits"}) const;

  // gradient and replay throw Unsupported if an edit of this run lies on the path; start after it.

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace headwater
