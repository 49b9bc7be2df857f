// Among class-specific methods these two find the words behind an answer best (comprehensiveness,
// docs/seen-on-real-models.md and bench/comprehensiveness.py), with no relevant difference between them, and
// they are defined for every family, task and target. Integrated gradients comes first because its scores add
// up to a change of the output, which is checked. AttnLRP costs one pull and is of another kind: it
// distributes the output of this input, without a baseline.
#include <headwater/engine.h>

namespace headwater {

std::vector<MethodSpec> default_methods(const ModelInfo& info) {
  if (info.task == Task::FeatureExtraction) return {{.name = "value_zeroing", .aggregate = "rollout"}};
  return {{.name = "integrated_gradients"}, {.name = "attn_lrp"}};
}

}  // namespace headwater
