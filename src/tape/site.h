// Site: the names of a Transformer's values, in TransformerLens' words. A tape finds a value by its place:
// its stack, its site and its layer.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace headwater {

enum class Site {
  None,      // a value that no method reads
  Pixels,    // the image, [B, C, height, width]
  Embed,     // token (or patch) embeddings before positions are added, [B, T, D]
  EmbedSum,  // the sum of words, positions and segments before a norm (post-norm families)
  ResidPre,  // input of a block
  Q,
  K,
  V,             // [B, T, H·E]; K and V [B, T, G·E]; after rotary where there is one
  Scores,        // [B, H, T, T], scaled, before the mask
  Pattern,       // [B, H, T, T], after softmax
  Z,             // pattern · v, [B, T, H·E]
  AttnOut,       // what attention adds to the stream, [B, T, D]
  ResidMid,      // after attention's residual sum (post-norm families: after its norm)
  CrossQ,        // the same for cross-attention, in the stack that reads:
  CrossK,        // [B, S, G·E], S the units of the sequence that is read
  CrossV,        // [B, S, G·E]
  CrossScores,   // [B, H, T, S]
  CrossPattern,  // [B, H, T, S]
  CrossZ,        // [B, T, H·E]
  CrossOut,      // [B, T, D]
  ResidCross,    // after its residual sum
  MlpPre,        // before the activation, [B, T, F]
  MlpPost,       // after it (gated: after the product)
  MlpOut,        // [B, T, D]
  ResidPost,     // output of a block, [B, T, D]
  FinalNorm,     // after the last norm of a stack
  Pooled,        // the input of a classification head, [B, D]
  Logits,
};

std::string_view name_of(Site site);

// The address of a value. Most models have one stack, and site and layer suffice for their places.
struct Place {
  Site site;
  int layer, stack;
  // NOLINTNEXTLINE(google-explicit-constructor): of one layer in one stack, a site is a place (Logits)
  constexpr Place(Site of = Site::None, int in_layer = 0, int in_stack = 0)
      : site(of), layer(in_layer), stack(in_stack) {}
  auto operator<=>(const Place&) const = default;
};

std::string text_of(Place place);  // "pattern of layer 3", with the stack if it is not the first

// The sites of one attention: within a sequence, or to the output of another stack.
struct AttentionSites {
  Site q, k, v, scores, pattern, z, out;
};
inline constexpr AttentionSites self_attention{Site::Q,       Site::K, Site::V,      Site::Scores,
                                               Site::Pattern, Site::Z, Site::AttnOut};
inline constexpr AttentionSites cross_attention{Site::CrossQ,      Site::CrossK,       Site::CrossV,
                                                Site::CrossScores, Site::CrossPattern, Site::CrossZ,
                                                Site::CrossOut};

// The input of block l is the output of block l − 1: one value with two names.
inline Place canonical(Place place) {
  if (place.site == Site::ResidPre && place.layer > 0) return {Site::ResidPost, place.layer - 1, place.stack};
  return place;
}

}  // namespace headwater
