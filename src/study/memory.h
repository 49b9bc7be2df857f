// The memory plan: what a kept forward run will hold, known before it runs.
#pragma once

#include <cstddef>
#include <span>

#include <headwater/model_info.h>

#include "tape/site.h"

namespace headwater {

// Bytes of one site of one block, and the peak bytes of a run that keeps nothing.
std::size_t site_bytes(const ModelInfo& info, Index tokens, Site site);
std::size_t passing_bytes(const ModelInfo& info, Index tokens, Index rows);

// Bytes of all values that a kept run of one input holds: an upper estimate. `rows` is the number of output
// rows that a token-wise task head computes.
std::size_t planned_run_bytes(const ModelInfo& info, Index tokens, Index rows);

// Peak bytes of one signal or part on its walk over a kept run, with values of this type.
std::size_t walk_bytes(const ModelInfo& info, Index tokens, Index rows, DType dtype);
// Extra bytes of a product of few rows, whose rows are laid out by the width of a register tile.
std::size_t packing_bytes(const ModelInfo& info, DType dtype);
// Bytes of a copy of the largest weight matrix on a walk, such as |W|.
std::size_t matrix_bytes(const ModelInfo& info, DType dtype);

// Extra bytes of a vocabulary head for this many rows instead of one: logits, their signal, and what an op
// makes of both.
std::size_t more_rows_bytes(const ModelInfo& info, Index rows);

// Bytes for reading a prediction and for its result: logits and probabilities in double, and their order.
std::size_t prediction_bytes(const ModelInfo& info, Index rows);

}  // namespace headwater
