// Trial: one example explained by one method, as an evaluation sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <headwater/evaluate.h>

namespace headwater {

// A changed input: the units (or pixels) that stay.
struct Perturbation {
  std::vector<bool> kept;
  enum class Of { Units, Pixels } of = Of::Units;
  auto operator<=>(const Perturbation&) const = default;
};

// The model's reply to a changed input.
struct Reply {
  double probability = 0, logit = 0;  // of the target
  int predicted = -1;                 // label index of a classifier; −1: none
};

// Another explanation of the same example, for comparison.
struct Variation {
  enum class Kind {
    Again,       // the same request again
    OtherClass,  // for the likeliest other label or token
    Randomised,  // for the model with untrained task head and blocks from `from` on; −1: the whole model
    Shifted,     // for the model with 1 added to every number of the word embeddings
  };
  Kind kind = Kind::Again;
  int from = 0;
  auto operator<=>(const Variation&) const = default;
};

// A word between white space, and whether annotators marked it.
struct AnnotatedWord {
  Index begin = 0, end = 0;
  bool evidence = false;
};

// The pixels that belong to the object; those at its edge may count as neither.
struct ObjectMask {
  int width = 0, height = 0;
  std::vector<std::uint8_t> pixels;  // 0 background, 1 object, 2 left out
};

// What all methods share of one example.
struct Sample {
  std::size_t number = 0;               // number of the example, for random numbers
  std::uint64_t seed = 0;               // seed of the run
  std::vector<std::vector<int>> units;  // tokens of each unit, ascending; no special tokens
  std::vector<Unit> tokens;             // empty for images
  bool annotated = false;
  std::vector<AnnotatedWord> words;  // words of an annotated text
  std::vector<TextSpan> cues;
  ObjectMask mask;                      // mask of an image that has one
  int grid_width = 0, grid_height = 0;  // patches of an image
  int width = 0, height = 0;            // pixels of an image
  std::vector<bool>
      probe_right;  // per layer: whether a probe recognises the example's property; empty: no probe was fitted
  int gold = -1;    // label index; −1: unknown
  std::size_t prefix = 0;  // tokens before an image's patches
};

struct Trial {
  const Sample& sample;
  std::vector<std::vector<double>> rows;         // the answer's row, [layer][token]; NaN: not measured
  std::vector<double> scores;                    // score per unit, from the last layer
  std::vector<double> reference;                 // the same for the method it is compared with; empty: none
  std::vector<std::vector<double>> varied = {};  // the same for the variations that its metric requests
  // The whole map if a metric reads it: [layer][query · T + key], averaged over heads; empty: no map per
  // layer.
  std::vector<std::vector<double>> maps = {};
};

// A unit's score is the sum of its tokens' scores. Tokens that were not measured count as 0.
std::vector<double> unit_scores(std::span<const double> row, const Sample& sample);
// A word's score is the largest of its tokens' scores; −∞ for a word that the model did not see.
std::vector<double> word_scores(std::span<const double> row, const Sample& sample);
// The scores of an image's patches, interpolated linearly between the patches' centres to pixels, from 0 to
// 1; all 0 if they are equal.
std::vector<double> pixel_scores(std::span<const double> row, const Sample& sample);
// Uniform numbers in [0, 1) for the example, one per token; each `again` gives others.
std::vector<double> random_row(const Sample& sample, std::size_t tokens, std::uint64_t again = 0);
// max |a − b| / max |a|; 0 for two rows of zeros.
double largest_change(std::span<const double> a, std::span<const double> b);

}  // namespace headwater
