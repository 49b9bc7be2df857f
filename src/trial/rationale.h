// Rationales and cues: what metrics against people's marks share.
#pragma once

#include <string>
#include <vector>

#include "trial/trial.h"

namespace headwater {

std::size_t marked_words(const Sample& sample);
// Words that have a score, the highest first, equal ones from left to right.
std::vector<std::size_t> seen_words_by_score(const Trial& trial);
// "10,20,30": whole numbers from 1. Throws InputError that begins with `where`.
std::vector<int> parsed_counts(const std::string& text, const std::string& where);

// 1 at the first token of every cue word.
std::vector<bool> cue_tokens(const Sample& sample, std::size_t tokens);
// Σ |s| over the cues / Σ |s|; what a causal mask forbids counts as 0. NaN for a row of zeros.
double share_on_cues(const std::vector<double>& row, const std::vector<bool>& cues);
// Of the tokens that have a score.
double cue_average_precision(const std::vector<double>& row, const std::vector<bool>& cues);

}  // namespace headwater
