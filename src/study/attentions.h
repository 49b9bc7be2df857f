// The kinds of attention a model has: most have one; an encoder–decoder has three. What a method does with
// attention it does for every kind, and gives a map of each.
#pragma once

#include <string>
#include <vector>

#include <headwater/report.h>

#include "tape/site.h"

namespace headwater {

// Attention of one kind: in every layer of one stack, from the units of one sequence to those of the same or
// another.
struct AttentionKind {
  std::string name;  // of its map: "" if there is no other, or "encoder", "decoder", "cross"
  int stack = 0, layers = 0, heads = 0;
  int queries = 0, keys = 0;  // sequences; a stack's own has its number
  bool causal = false;
  AttentionSites sites = self_attention;
  Site before = Site::ResidPre, after = Site::ResidMid;  // the stream it is added to, and their sum

  Place at(Site site, int layer) const { return {site, layer, stack}; }
  Place pattern(int layer) const { return at(sites.pattern, layer); }
  bool is_cross() const { return queries != keys; }
};

std::vector<AttentionKind> attentions_of(const ModelInfo& info);  // in the order they run

// A map of it, [layer, query, key] or [layer, head, query, key].
enum class HeadAxis { None, Each };
Map map_of(const AttentionKind& kind, HeadAxis heads, Tensor values);

}  // namespace headwater
