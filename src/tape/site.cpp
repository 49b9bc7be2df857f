#include "tape/site.h"

#include <fmt/format.h>

namespace headwater {

std::string_view name_of(Site site) {
  switch (site) {
    case Site::None:
      return "none";
    case Site::Pixels:
      return "pixels";
    case Site::Embed:
      return "embed";
    case Site::EmbedSum:
      return "embed_sum";
    case Site::ResidPre:
      return "resid_pre";
    case Site::Q:
      return "q";
    case Site::K:
      return "k";
    case Site::V:
      return "v";
    case Site::Scores:
      return "attn_scores";
    case Site::Pattern:
      return "pattern";
    case Site::Z:
      return "z";
    case Site::AttnOut:
      return "attn_out";
    case Site::ResidMid:
      return "resid_mid";
    case Site::CrossQ:
      return "cross_q";
    case Site::CrossK:
      return "cross_k";
    case Site::CrossV:
      return "cross_v";
    case Site::CrossScores:
      return "cross_scores";
    case Site::CrossPattern:
      return "cross_pattern";
    case Site::CrossZ:
      return "cross_z";
    case Site::CrossOut:
      return "cross_out";
    case Site::ResidCross:
      return "resid_cross";
    case Site::MlpPre:
      return "mlp_pre";
    case Site::MlpPost:
      return "mlp_post";
    case Site::MlpOut:
      return "mlp_out";
    case Site::ResidPost:
      return "resid_post";
    case Site::FinalNorm:
      return "final_norm";
    case Site::Pooled:
      return "pooled";
    case Site::Logits:
      return "logits";
  }
  return "unknown";
}

std::string text_of(Place place) {
  const std::string text = fmt::format("{} of layer {}", name_of(place.site), place.layer);
  return place.stack == 0 ? text : fmt::format("{} of stack {}", text, place.stack);
}

}  // namespace headwater
