// Site: the named places of a Transformer, in TransformerLens' words. A tape finds a value by site and layer.
#pragma once

#include <compare>
#include <string_view>

namespace headwater {

enum class Site {
  None,      // a value no method asks for
  Pixels,    // the image, [B, C, height, width]
  Embed,     // token (or patch) embeddings before positions are added, [B, T, D]
  EmbedSum,  // words, positions and segments added up, where a norm follows (post-norm families)
  ResidPre,  // input of a block
  Q,
  K,
  V,          // [B, T, H·E]; K and V [B, T, G·E]; after rotary where there is one
  Scores,     // [B, H, T, T], scaled, before the mask
  Pattern,    // [B, H, T, T], after softmax
  Z,          // pattern · v, [B, T, H·E]
  AttnOut,    // after the output projection, [B, T, D]
  ResidMid,   // after attention's residual sum (post-norm families: after its norm)
  MlpPre,     // before the activation, [B, T, F]
  MlpPost,    // after it (gated: after the product)
  MlpOut,     // [B, T, D]
  ResidPost,  // output of a block, [B, T, D]
  FinalNorm,  // after the last norm of a pre-norm family
  Pooled,     // what a classification head reads, [B, D]
  Logits,
};

std::string_view name_of(Site site);

// Where a value stands.
struct Place {
  Site site;
  int layer;
  auto operator<=>(const Place&) const = default;
};

// The input of block l is the output of block l − 1: one value, found under both names.
inline Place canonical(Place place) {
  if (place.site == Site::ResidPre && place.layer > 0) return {Site::ResidPost, place.layer - 1};
  return place;
}

}  // namespace headwater
