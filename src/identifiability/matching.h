// Which candidate is nearest to a mapped vector, and how many tokens of a text are thereby identified.
//
// Exact ties go to the lowest index. A vector that is not finite, or under cosine has no direction, is not
// identified; a candidate without a direction is never the nearest under cosine.
#pragma once

#include <span>
#include <vector>

#include "identifiability/texts.h"

namespace headwater {

// 1 − cos, or the Euclidean length of the difference; NaN where undefined.
double token_distance(std::span<const double> g, std::span<const double> x, TokenDistance distance);

// The row of `candidates` [n, width] nearest to g among those `allowed`, or −1.
Index nearest(std::span<const double> g, std::span<const double> candidates, const std::vector<bool>& allowed,
              TokenDistance distance);

// Tokens of one text identified, by each rule.
using TextHits = TokenRules<int>;

// `mapped` and `targets` [N, width] in float64 hold the tokens of these texts one after the other.
std::vector<TextHits> match_in_texts(const std::vector<const ProbeText*>& texts, const Tensor& mapped,
                                     const Tensor& targets, TokenDistance distance);
// Against every row of a word table [V, width]; position rules stay 0.
std::vector<TextHits> match_in_vocabulary(const std::vector<const ProbeText*>& texts, const Tensor& mapped,
                                          const Tensor& words, TokenDistance distance);
std::size_t vocabulary_match_bytes(Index tokens, Index width);

// Σ hits / Σ tokens with a 95 % interval: Wilson's (1927), whose number of trials is divided by the design
// effect of texts as clusters (Kish, 1965): the variance of the ratio between texts over the binomial one, at
// least 1. Where all or none are hit that variance says nothing, and each text counts as one trial.
TokenRate rate_of(std::span<const int> hits, std::span<const Index> tokens);

}  // namespace headwater
