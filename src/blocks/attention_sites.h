// What the values of one attention are called.
#pragma once

#include "tape/site.h"

namespace headwater {

// Of a sequence to itself, or to the output of another stack.
struct AttentionSites {
  Site q, k, v, scores, pattern, z, out;
};
inline constexpr AttentionSites self_attention{Site::Q,       Site::K, Site::V,      Site::Scores,
                                               Site::Pattern, Site::Z, Site::AttnOut};
inline constexpr AttentionSites cross_attention{Site::CrossQ,      Site::CrossK,       Site::CrossV,
                                                Site::CrossScores, Site::CrossPattern, Site::CrossZ,
                                                Site::CrossOut};

}  // namespace headwater
