// The Frobenius norms of one block's Jacobian in closed form: how the output of each token answers to the
// input of each other one, without a tangent per direction.
#pragma once

#include <vector>

#include "study/study.h"

namespace headwater {

// Whether the closed form holds: post-norm blocks of plain heads and a plain feed-forward part.
bool has_local_form(const Study& study);

// |∂e_j / ∂x_i|_F for the block's input x and output e, [T, T] with row j and column i, in double.
std::vector<double> local_norms(const Study& study, int layer);

// Bytes it works in.
std::size_t local_bytes(const ModelInfo& info, Index tokens);

}  // namespace headwater
