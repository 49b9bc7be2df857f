// A block keeps, per token, its norms, Q, K, V (before and after rotary), Z, both projections and both
// residual sums (at most 12 D), up to five F-wide values of a gated feed-forward, and per head the scores,
// the masked scores and the pattern (3 T). Outside the blocks: the embeddings and their sums, the last norm,
// the head's dense layer (8 D), and the logits.
#include "study/memory.h"

#include <algorithm>

namespace headwater {

std::size_t site_bytes(const ModelInfo& info, Index tokens, Site site) {
  const Index heads = Index{info.heads} * info.head_width, groups = Index{info.groups} * info.head_width;
  Index width = info.width;
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
      width = info.heads * tokens;
      break;
    case Site::MlpPre:
    case Site::MlpPost:
      width = info.feed_forward;
      break;
    default:
      break;
  }
  return static_cast<std::size_t>(tokens * width) * bytes_of(info.dtype);
}

std::size_t passing_bytes(const ModelInfo& info, Index tokens, Index rows) {
  ModelInfo one = info;
  one.layers = 1;
  return planned_run_bytes(one, tokens, rows);
}

std::size_t planned_run_bytes(const ModelInfo& info, Index tokens, Index rows) {
  const auto T = static_cast<std::size_t>(tokens), D = static_cast<std::size_t>(info.width);
  const auto F = static_cast<std::size_t>(info.feed_forward), H = static_cast<std::size_t>(info.heads);
  // Another stack has its own blocks, and attention to it is less than one more.
  const int blocks = is_encoder_decoder(info) ? info.stacks.front().layers + 2 * info.layers : info.layers;
  const auto L = static_cast<std::size_t>(blocks), R = static_cast<std::size_t>(std::max<Index>(1, rows));
  const std::size_t pixels = static_cast<std::size_t>(info.image_size) *
                             static_cast<std::size_t>(info.image_size) *
                             static_cast<std::size_t>(info.channels);
  const std::size_t outputs =
      std::max<std::size_t>(static_cast<std::size_t>(info.vocabulary), info.labels.size());
  const bool vocabulary_head = is_vocabulary(info.task);
  const std::size_t block = T * (12 * D + 5 * F) + 3 * H * T * T;
  const std::size_t numbers =
      L * block + 8 * T * D + 2 * pixels + R * (vocabulary_head ? outputs : info.labels.size() + 2);
  return numbers * bytes_of(info.dtype);
}

std::size_t more_rows_bytes(const ModelInfo& info, Index rows) {
  const auto more = static_cast<std::size_t>(std::max<Index>(1, rows) - 1);
  return 3 * more * static_cast<std::size_t>(info.vocabulary) * bytes_of(info.dtype);
}

Index image_tokens(const ModelInfo& info) {
  const Index side = info.patch_size > 0 ? info.image_size / info.patch_size : 0;
  return info.prefix_tokens + side * side;
}

}  // namespace headwater
