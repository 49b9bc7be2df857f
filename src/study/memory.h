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

// Tokens in an input: T of a text, patches and prefix of an image model.
// What a head of a vocabulary needs more for this many rows than for one: logits, their signal, and one of
// both.
std::size_t more_rows_bytes(const ModelInfo& info, Index rows);

Index image_tokens(const ModelInfo& info);

}  // namespace headwater
