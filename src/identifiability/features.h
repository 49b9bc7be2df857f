// The numbers an identifiability run works on: values of named places for every token of many texts, stacked.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "identifiability/texts.h"
#include "models/model.h"

namespace headwater {

// Tokens per forward run: enough to keep the products busy, and a bound on memory.
inline constexpr std::size_t probe_batch_tokens = 4096;

// For each place the values [N, width] of all tokens, texts one after the other. A text's rows do not depend
// on who shares a batch with it. `progress` gets the share done and may throw.
std::vector<Tensor> capture(const Model& model, std::span<const ProbeText> texts,
                            const std::vector<Place>& places, const std::function<void(double)>& progress);

Place place_of_state(int state);  // 0: what enters block 0; l + 1: what leaves block l
Place place_of_target(TokenTarget target, const ModelInfo& info);

// Row of the first token of each text in what capture() gives, and the number of all.
std::vector<Index> first_rows(std::span<const ProbeText> texts);
// The rows of these texts, one after the other.
Tensor rows_of(const Tensor& all, const std::vector<Index>& first, const std::vector<std::size_t>& chosen);

// Mean of cos(e_i, e_j) over all pairs i ≠ j: (|Σ u_i|² − N) / (N (N − 1)) with u_i = e_i/|e_i|; rows without
// a direction are left out. NaN for fewer than two.
double mean_pair_cosine(const Tensor& rows);

// Rows scaled to length 1; rows without a direction become 0.
Tensor unit_rows(const Tensor& rows);

// Bytes of a forward run over batches of these texts, beyond the weights.
std::size_t capture_bytes(const ModelInfo& info, std::span<const ProbeText> texts);

}  // namespace headwater
