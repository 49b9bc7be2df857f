// The texts of an identifiability run as token ids, their split, and what a guess would score on them.
#pragma once

#include <cstdint>
#include <vector>

#include <headwater/identify.h>

namespace headwater {

struct ProbeText {
  std::vector<int> ids, type_ids;
  std::vector<bool> special;

  Index tokens() const { return static_cast<Index>(ids.size()); }
  Index content() const;  // tokens that are not special
};

enum class Part : std::uint8_t { Train, Validation, Test };

// Part of every text, for every fold. Different texts are put in random order; of D of them, one fold takes
// max(1, round(0.15 D)) for the test, as many for validation and the rest for training; of K folds, fold f
// tests the texts at places ⌊f D/K⌋ … ⌊(f+1) D/K⌋ and validates on the next fold's. Texts with the same ids
// share the part of the first. Throws InputError for fewer than 3 different texts, or than folds.
struct Split {
  std::vector<std::vector<Part>> parts;  // [fold][text]
  std::size_t distinct = 0;
};
Split split_texts(const std::vector<ProbeText>& texts, int folds, std::uint64_t seed);

std::vector<std::size_t> texts_in(const std::vector<Part>& parts, Part part);

// The expected share of tokens that a uniform guess among the candidates identifies: per text of n tokens,
// by position n · 1/n tokens, by id Σ over types count²/n; among V words of a vocabulary 1/V.
TokenRules<double> chance_of(const std::vector<const ProbeText*>& tested, TokenPool pool, int vocabulary);

}  // namespace headwater
