// The memory plan: what a kept forward run will hold, said before it is run.
#pragma once

#include <cstddef>
#include <span>

#include <headwater/model_info.h>

#include "tape/site.h"

namespace headwater {

// Bytes of one site of one block, and what a run that keeps nothing holds at its widest place.
std::size_t site_bytes(const ModelInfo& info, Index tokens, Site site);
std::size_t passing_bytes(const ModelInfo& info, Index tokens, Index rows);

// Bytes of every value a kept run of one input holds: an upper estimate. `rows`: how many output rows a
// token-wise head computes.
std::size_t planned_run_bytes(const ModelInfo& info, Index tokens, Index rows);

// What one signal or part holds on its way over a kept run, at its widest place: values in this type.
std::size_t walk_bytes(const ModelInfo& info, Index tokens, Index rows, DType dtype);
// What a product of few rows takes beyond them, whose rows are laid out by the width of a register tile.
std::size_t packing_bytes(const ModelInfo& info, DType dtype);
// A copy of the largest weight matrix that a walk meets, such as |W|.
std::size_t matrix_bytes(const ModelInfo& info, DType dtype);

// What a head of a vocabulary needs more for this many rows than for one: logits, their signal, and what an
// op makes of both.
std::size_t more_rows_bytes(const ModelInfo& info, Index rows);

// What reading a prediction takes, and what it leaves: logits and probabilities in double, their order.
std::size_t prediction_bytes(const ModelInfo& info, Index rows);

}  // namespace headwater
