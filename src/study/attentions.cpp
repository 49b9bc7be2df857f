#include "study/attentions.h"

namespace headwater {

std::vector<AttentionKind> attentions_of(const ModelInfo& info) {
  std::vector<AttentionKind> kinds;
  const std::vector<Stack>& stacks = info.stacks;
  const bool several = stacks.size() > 1;
  for (int s = 0; s < static_cast<int>(stacks.size()); ++s) {
    const Stack& stack = stacks[static_cast<std::size_t>(s)];
    kinds.push_back({.name = several ? stack.name : "",
                     .stack = s,
                     .layers = stack.layers,
                     .heads = stack.heads,
                     .queries = s,
                     .keys = s,
                     .causal = stack.causal});
    if (stack.reads >= 0)
      kinds.push_back({.name = "cross",
                       .stack = s,
                       .layers = stack.layers,
                       .heads = stack.heads,
                       .queries = s,
                       .keys = stack.reads,
                       .sites = cross_attention,
                       .before = Site::ResidMid,
                       .after = Site::ResidCross});
  }
  return kinds;
}

Map map_of(const AttentionKind& kind, HeadAxis heads, Tensor values) {
  Map map{.name = kind.name, .axes = {Axis::Layer}, .values = std::move(values)};
  if (heads == HeadAxis::Each) map.axes.emplace_back(Axis::Head);
  map.axes.emplace_back(Axis::Query, kind.queries);
  map.axes.emplace_back(Axis::Key, kind.keys);
  return map;
}

}  // namespace headwater
