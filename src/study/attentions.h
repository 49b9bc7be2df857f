// The kinds of attention of a model: most models have one, an encoder–decoder has three. A method treats
// every kind alike and returns one map for each.
#pragma once

#include <string>
#include <vector>

#include <headwater/report.h>

#include "tape/site.h"

namespace headwater {

// Attention of one kind. In every layer of one stack it goes from the units of one sequence to those of the
// same or another sequence.
struct AttentionKind {
  std::string name;  // the map's name: "" if there is one kind, or "encoder", "decoder", "cross"
  int stack = 0, layers = 0, heads = 0;
  int queries = 0, keys = 0;  // sequence numbers; a stack's own sequence has the stack's number
  bool causal = false;
  AttentionSites sites = self_attention;
  Site before = Site::ResidPre, after = Site::ResidMid;  // the stream to which it is added, and their sum

  Place at(Site site, int layer) const { return {site, layer, stack}; }
  Place pattern(int layer) const { return at(sites.pattern, layer); }
  bool is_cross() const { return queries != keys; }
};

std::vector<AttentionKind> attentions_of(const ModelInfo& info);  // in the order they run

// A map of this kind, [layer, query, key] or [layer, head, query, key].
enum class HeadAxis { None, Each };
Map map_of(const AttentionKind& kind, HeadAxis heads, Tensor values);

}  // namespace headwater
