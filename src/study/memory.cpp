// The memory of a run and of a walk over it. tests/laws/memory_law_test.cpp compares it with measurements.
//
// A block keeps, per token, its norms, Q, K, V (before and after rotary), Z, both projections and both
// residual sums (at most 12 D), two F-wide values (five of a gated feed-forward, which post-norm families
// have not), and per head the scores, the masked scores and the pattern (3 T). Outside the blocks: the
// embeddings and their sums, the last norm, the head's dense layer (8 D), and the logits.
//
// A walk holds at one time, per token, the stream's signal and those of q, k, v and z (5 D), three F-wide
// signals of a gated feed-forward and a layout of one, and per head the signals of the scores and of the
// pattern and what the softmax makes of them (3 T); at the head the signal of the logits and what an op makes
// of it. A product from the left lays its rows out once more, and at least a register tile of them.
#include "study/memory.h"

#include <algorithm>

namespace headwater {

namespace {

constexpr std::size_t tile_rows = 32;  // rows in a product's layout, for the widest processor

// Numbers of one row of the logits.
std::size_t output_count(const ModelInfo& info) {
  return is_vocabulary(info.task) ? static_cast<std::size_t>(info.vocabulary) : info.labels.size() + 2;
}

std::size_t stream_width(const ModelInfo& info) {
  return static_cast<std::size_t>(std::max(info.last().width, info.last().heads * info.last().head_width));
}

// The length of the widest row in any product.
std::size_t widest_row(const ModelInfo& info) {
  return std::max(
      {stream_width(info), static_cast<std::size_t>(info.last().feed_forward), output_count(info)});
}

}  // namespace

std::size_t site_bytes(const ModelInfo& info, Index tokens, Site site) {
  const Index heads = Index{info.last().heads} * info.last().head_width,
              groups = Index{info.last().groups} * info.last().head_width;
  Index width = info.last().width;
  switch (site) {
    case Site::Q:
    case Site::Z:
      width = heads;
      break;
    case Site::K:
    case Site::V:
      width = groups;
      break;
    case Site::Scores:
    case Site::Pattern:
      width = info.last().heads * tokens;
      break;
    case Site::MlpPre:
    case Site::MlpPost:
      width = info.last().feed_forward;
      break;
    default:
      break;
  }
  return static_cast<std::size_t>(tokens * width) * bytes_of(info.dtype);
}

std::size_t passing_bytes(const ModelInfo& info, Index tokens, Index rows) {
  ModelInfo one = info;
  one.last().layers = 1;
  return planned_run_bytes(one, tokens, rows);
}

std::size_t planned_run_bytes(const ModelInfo& info, Index tokens, Index rows) {
  const auto T = static_cast<std::size_t>(tokens), D = static_cast<std::size_t>(info.last().width);
  const auto F = static_cast<std::size_t>(info.last().feed_forward),
             H = static_cast<std::size_t>(info.last().heads);
  // Another stack has its own blocks, and cross-attention takes less than one more block.
  const int blocks =
      is_encoder_decoder(info) ? info.stacks.front().layers + 2 * info.last().layers : info.last().layers;
  const auto L = static_cast<std::size_t>(blocks), R = static_cast<std::size_t>(std::max<Index>(1, rows));
  const std::size_t pixels = static_cast<std::size_t>(info.image_size) *
                             static_cast<std::size_t>(info.image_size) *
                             static_cast<std::size_t>(info.channels);
  const std::size_t wide = info.pre_norm ? 5 : 2;
  const std::size_t block = T * (12 * D + wide * F) + 3 * H * T * T;
  const std::size_t numbers = L * block + 8 * T * D + 2 * pixels + R * output_count(info);
  return numbers * bytes_of(info.dtype);
}

std::size_t walk_bytes(const ModelInfo& info, Index tokens, Index rows, DType dtype) {
  const auto T = static_cast<std::size_t>(tokens), F = static_cast<std::size_t>(info.last().feed_forward);
  const auto H = static_cast<std::size_t>(info.last().heads),
             R = static_cast<std::size_t>(std::max<Index>(1, rows));
  const std::size_t block = T * (5 * stream_width(info) + 4 * std::max(F, stream_width(info)) + 3 * H * T);
  const std::size_t head = T * stream_width(info) + 3 * R * output_count(info);
  return std::max(block, head) * bytes_of(dtype);
}

std::size_t packing_bytes(const ModelInfo& info, DType dtype) {
  return tile_rows * widest_row(info) * bytes_of(dtype);
}

std::size_t matrix_bytes(const ModelInfo& info, DType dtype) {
  return (widest_row(info) + tile_rows) * stream_width(info) * bytes_of(dtype);
}

std::size_t more_rows_bytes(const ModelInfo& info, Index rows) {
  if (!is_vocabulary(info.task)) return 0;
  const auto more = static_cast<std::size_t>(std::max<Index>(1, rows) - 1);
  return 3 * more * output_count(info) * bytes_of(info.dtype);
}

std::size_t prediction_bytes(const ModelInfo& info, Index rows) {
  if (!is_vocabulary(info.task))
    return static_cast<std::size_t>(rows) * output_count(info) * 2 * sizeof(double);
  return output_count(info) * (3 * sizeof(double) + sizeof(int));
}

}  // namespace headwater
