// Rationales and cues: what metrics against people's marks share.
#pragma once

#include <string>
#include <vector>

#include "evaluation/trial/trial.h"

namespace headwater {

std::size_t marked_words(const Sample& sample);
// The words that have a score, the highest first, equal ones from left to right.
std::vector<std::size_t> seen_words_by_score(const Trial& trial);
// Parses whole numbers from 1, such as "10,20,30". Throws InputError that begins with `where`.
std::vector<int> parsed_counts(const std::string& text, const std::string& where);

// Marks the first token of every cue word.
std::vector<bool> cue_tokens(const Sample& sample, std::size_t tokens);
// Σ |s| over the cues / Σ |s|; cells that a causal mask forbids count as 0. NaN for a row of zeros.
double share_on_cues(const std::vector<double>& row, const std::vector<bool>& cues);
// The average precision over the tokens that have a score.
double cue_average_precision(const std::vector<double>& row, const std::vector<bool>& cues);

}  // namespace headwater
