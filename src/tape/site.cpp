#include "tape/site.h"

#include <iterator>

#include <fmt/format.h>

#include "base/as_size.h"

namespace headwater {

std::string_view name_of(Site site) {
  // In the order of Site.
  static constexpr std::string_view names[] = {"none",
                                               "pixels",
                                               "embed",
                                               "embed_sum",
                                               "resid_pre",
                                               "q",
                                               "k",
                                               "v",
                                               "attn_scores",
                                               "pattern",
                                               "z",
                                               "attn_out",
                                               "resid_mid",
                                               "cross_q",
                                               "cross_k",
                                               "cross_v",
                                               "cross_scores",
                                               "cross_pattern",
                                               "cross_z",
                                               "cross_out",
                                               "resid_cross",
                                               "mlp_pre",
                                               "mlp_post",
                                               "mlp_out",
                                               "resid_post",
                                               "final_norm",
                                               "pooled",
                                               "logits"};
  static_assert(std::size(names) == as_size(Site::Logits) + 1);
  return names[as_size(site)];
}

std::string text_of(Place place) {
  const std::string text = fmt::format("{} of layer {}", name_of(place.site), place.layer);
  return place.stack == 0 ? text : fmt::format("{} of stack {}", text, place.stack);
}

}  // namespace headwater
