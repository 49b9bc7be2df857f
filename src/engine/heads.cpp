#include "engine/heads.h"

#include <chrono>
#include <optional>

#include "heads/importance.h"
#include "heads/pruning.h"
#include "heads/triggers.h"
#include "tensor/pool.h"

namespace headwater {
namespace {

// The inputs prepared, the work done and timed, the record beside it.
template <class Work>
auto recorded(const LoadedModel& loaded, std::span<const LabelledInput> inputs, const LabelledRun& run,
              const std::string& name, RunRecord&& record, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  const Advance advance = [&](double done) {
    if (run.progress) run.progress({.method = name, .done = done});
  };
  std::optional<pool::KeepNothing> bounded;  // or free buffers would count on top of the plan
  if (run.max_memory > 0) bounded.emplace();
  auto result = work(prepare_labelled(loaded, inputs), advance);
  result.record = std::move(record);
  result.record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace

HeadImportance rank_heads(const LoadedModel& loaded, std::span<const LabelledInput> inputs,
                          const std::string& ranking, const LabelledRun& run, RunRecord record) {
  return recorded(loaded, inputs, run, ranking, std::move(record),
                  [&](const std::vector<Labelled>& labelled, const Advance& advance) {
                    return head_importance(loaded, labelled, ranking, advance, run.max_memory);
                  });
}

PruningReport prune_heads(const LoadedModel& loaded, std::span<const LabelledInput> inputs,
                          std::span<const HeadImportance> rankings, const PruningOptions& options,
                          const LabelledRun& run, RunRecord record) {
  return recorded(loaded, inputs, run, "pruning", std::move(record),
                  [&](const std::vector<Labelled>& labelled, const Advance& advance) {
                    return pruning_curves(loaded, labelled, rankings, options, advance, run.max_memory);
                  });
}

TriggerReport try_triggers(const LoadedModel& loaded, std::span<const LabelledInput> inputs,
                           const TriggerOptions& options, const LabelledRun& run, RunRecord record) {
  return recorded(loaded, inputs, run, "triggers", std::move(record),
                  [&](const std::vector<Labelled>& labelled, const Advance& advance) {
                    return find_triggers(loaded, labelled, options, advance, run.max_memory);
                  });
}

}  // namespace headwater
