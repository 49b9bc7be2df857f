// Trial: one example explained by one method, as an evaluation sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <headwater/evaluate.h>

namespace headwater {

// A changed input: which units (or pixels) stay.
struct Perturbation {
  std::vector<bool> kept;
  enum class Of { Units, Pixels } of = Of::Units;
  auto operator<=>(const Perturbation&) const = default;
};

// What the model answers to one.
struct Reply {
  double probability = 0, logit = 0;  // of the target
  int predicted = -1;                 // label index of a classifier; −1: none
};

// Another explanation of the same example, to compare with.
struct Variation {
  enum class Kind {
    Again,       // the same once more
    OtherClass,  // of the likeliest other label or token
    Randomised,  // of the model with its head and the blocks from `from` on untrained; −1: all of it
    Shifted,     // of the model with 1 added to every number of the word embeddings
  };
  Kind kind = Kind::Again;
  int from = 0;
  auto operator<=>(const Variation&) const = default;
};

// A word between white space, and whether people marked it.
struct AnnotatedWord {
  Index begin = 0, end = 0;
  bool evidence = false;
};

// Which pixels belong to the object; those at its edge may count for neither.
struct ObjectMask {
  int width = 0, height = 0;
  std::vector<std::uint8_t> pixels;  // 0 background, 1 object, 2 left out
};

// What all methods share of one example.
struct Sample {
  std::size_t number = 0;               // of the example, for random numbers
  std::uint64_t seed = 0;               // of the run
  std::vector<std::vector<int>> units;  // tokens of each, ascending; no special ones
  std::vector<Unit> tokens;             // empty for images
  bool annotated = false;
  std::vector<AnnotatedWord> words;  // of an annotated text
  std::vector<TextSpan> cues;
  ObjectMask mask;                      // of an image with one
  int grid_width = 0, grid_height = 0;  // patches of an image
  int width = 0, height = 0;            // pixels of an image
  std::vector<bool> probe_right;  // per layer: a probe tells the example's property; empty: none was fitted
  int gold = -1;                  // label index; −1: unknown
  std::size_t prefix = 0;         // tokens before an image's patches
};

struct Trial {
  const Sample& sample;
  std::vector<std::vector<double>> rows;         // the answer's row, [layer][token]; NaN: not measured
  std::vector<double> scores;                    // per unit, of the last layer
  std::vector<double> reference;                 // the same of the method it is compared with; empty: none
  std::vector<std::vector<double>> varied = {};  // the same of the variations its metric asks for
  // The whole map where a metric reads it: [layer][query · T + key], heads averaged; empty: no map per layer.
  std::vector<std::vector<double>> maps = {};
};

// A unit's score: the sum of its tokens'. What was not measured counts as 0.
std::vector<double> unit_scores(std::span<const double> row, const Sample& sample);
// A word's score: the largest of its tokens'. −∞ for a word that the model did not see.
std::vector<double> word_scores(std::span<const double> row, const Sample& sample);
// Scores of an image's patches, carried to pixels straight between their middles, from 0 to 1; all 0 where
// they are equal.
std::vector<double> pixel_scores(std::span<const double> row, const Sample& sample);
// Uniform numbers in [0, 1) of the example, one per token; others for every `again`.
std::vector<double> random_row(const Sample& sample, std::size_t tokens, std::uint64_t again = 0);
// max |a − b| / max |a|; 0 for two rows of zeros.
double largest_change(std::span<const double> a, std::span<const double> b);

}  // namespace headwater
