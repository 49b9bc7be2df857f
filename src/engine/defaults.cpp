// Of the methods that know the class these two name the words an answer rests on best (comprehensiveness,
// docs/seen-on-real-models.md and bench/comprehensiveness.py), without a difference worth the name between
// them, and are defined for every family, task and target. Integrated gradients speaks first because its
// scores add up to a change of the output, which is checked; AttnLRP costs one backward walk and is of
// another kind: it shares out the output of this very input, without a baseline.
#include <headwater/engine.h>

namespace headwater {

std::vector<MethodSpec> default_methods(const ModelInfo& info) {
  if (info.task == Task::FeatureExtraction) return {{.name = "value_zeroing", .aggregate = "rollout"}};
  return {{.name = "integrated_gradients"}, {.name = "attn_lrp"}};
}

}  // namespace headwater
