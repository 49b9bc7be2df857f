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
  std::vector<TokenView> tokens;        // empty for images
  bool annotated = false;
  std::vector<AnnotatedWord> words;  // of an annotated text
  std::vector<TextSpan> cues;
  ObjectMask mask;                      // of an image with one
  int grid_width = 0, grid_height = 0;  // patches of an image
  int width = 0, height = 0;            // pixels of an image
  int gold = -1;                        // label index; −1: unknown
  std::size_t prefix = 0;               // tokens before an image's patches
};

struct Trial {
  const Sample& sample;
  std::vector<std::vector<double>> rows;  // the answer's row, [layer][token]; NaN: not measured
  std::vector<double> scores;             // per unit, of the last layer
  std::vector<double> reference;          // the same of the method it is compared with; empty: none
};

// A unit's score: the sum of its tokens'. What was not measured counts as 0.
std::vector<double> unit_scores(std::span<const double> row, const Sample& sample);
// A word's score: the largest of its tokens'. −∞ for a word that the model did not see.
std::vector<double> word_scores(std::span<const double> row, const Sample& sample);
// Scores of an image's patches, carried to pixels straight between their middles, from 0 to 1; all 0 where
// they are equal.
std::vector<double> pixel_scores(std::span<const double> row, const Sample& sample);
// Uniform numbers in [0, 1) of the example, one per token.
std::vector<double> random_row(const Sample& sample, std::size_t tokens);

}  // namespace headwater
