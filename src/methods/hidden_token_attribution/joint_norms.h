// The norms |∂e_j / ∂x_i| of models with several stacks: from the units of every sequence to the output of
// every block that they reach, in the same stack or in one that reads it.
#pragma once

#include <vector>

#include "methods/hidden_token_attribution/block_norms.h"

namespace headwater {

// Of each stack, [L, T, U]: row j a unit of the stack's own sequence, column i any unit of the input. Exact,
// from a basis of tangents at the first block's input; Frobenius or gradient times input.
std::vector<std::vector<double>> joint_norms(const Study& study, BlockNorm norm);

// Bytes beyond the recorded run, `units` of all sequences.
std::size_t joint_norm_bytes(const ModelInfo& info, Index units);

// These norms as shares, maps of each stack to each sequence it can have read: "encoder",
// "decoder_to_source", "decoder_to_prefix". Rows are divided over all units; the norms themselves are
// details, "norm_encoder" ….
Attribution joint_attribution(const Study& study, BlockNorm norm);

}  // namespace headwater
