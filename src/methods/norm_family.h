// What the methods of the norm family share (explain/norms.h): they differ in where parts are measured.
#pragma once

#include "explain/norms.h"
#include "methods/method.h"

namespace headwater {

inline constexpr MethodOption normalise_option{"normalise", "none|rows", "none",
                                               "rows: divide each row by its sum; none: raw norms"};
inline constexpr std::string_view norm_cost =
    "One forward run and, per layer, 2 T H² D + 2 T² H² operations on Gram matrices; no vector per pair of "
    "tokens is made.";

template <NormStage stage>
NormRequest norm_request(const MethodOptions& options) {
  return {.method = options.method(),
          .stage = stage,
          .each_head = stage == NormStage::Attention && options.text("heads") == "each",
          .normalise_rows = options.text("normalise") == "rows"};
}

template <NormStage stage>
Attribution run_norms(const Study& study, const MethodOptions& options) {
  return norm_attribution(study, norm_request<stage>(options));
}

template <NormStage stage>
std::size_t planned_norms(const ModelInfo& info, Index tokens, const MethodOptions& options) {
  return norm_bytes(info, tokens, norm_request<stage>(options));
}

}  // namespace headwater
