// Engine's heads: importance, pruning, trees and triggers, each with its record and its plan.
#include "engine/impl.h"
#include "heads/importance.h"
#include "heads/pruning.h"
#include "heads/tree.h"
#include "heads/triggers.h"
#include "result/rows.h"

namespace headwater {

Request tree_request(Request request) {
  request.methods = {{.name = std::string(method_for(Role::Heads).name)}};
  return request;
}

TreeReport Engine::tree(const Request& request, TreeOptions options) const {
  impl_->of_one_sequence();
  TreeReport made{.tree = {}, .report = explain(tree_request(request)), .checks = {}};
  const Attribution& result = made.report.attributions.front();
  options.answer = static_cast<int>(row_to_show(made.report));
  made.tree = attribution_tree(result.scores(), options);
  made.checks = result.checks;
  for (Check& check : tree_checks(made.tree, result.scores(), options))
    made.checks.push_back(std::move(check));
  return made;
}

HeadImportance Engine::head_importance(std::span<const LabelledInput> inputs, const std::string& ranking,
                                       const LabelledRun& run) const {
  return impl_->recorded(
      inputs, run, ranking, [&](const auto& model, const auto& labelled, const auto& advance) {
        return headwater::head_importance(model, labelled, ranking, advance, run.max_memory);
      });
}

LabelledPlan Engine::plan_head_importance(std::span<const LabelledInput> inputs, const std::string& ranking,
                                          std::size_t max_memory) const {
  return plan_importance(impl_->of_one_sequence(), prepare_labelled(impl_->of_one_sequence(), inputs),
                         ranking, max_memory);
}

PruningReport Engine::pruning_curves(std::span<const LabelledInput> inputs,
                                     std::span<const HeadImportance> rankings, const PruningOptions& options,
                                     const LabelledRun& run) const {
  return impl_->recorded(
      inputs, run, "pruning", [&](const auto& model, const auto& labelled, const auto& advance) {
        return headwater::pruning_curves(model, labelled, rankings, options, advance, run.max_memory);
      });
}

LabelledPlan Engine::plan_pruning(std::span<const LabelledInput> inputs, std::size_t rankings,
                                  const PruningOptions& options, std::size_t max_memory) const {
  return headwater::plan_pruning(impl_->of_one_sequence(), prepare_labelled(impl_->of_one_sequence(), inputs),
                                 rankings, options, max_memory);
}

void Engine::save_pruned(const HeadImportance& importance, double rate, const std::string& folder) const {
  if (!(rate >= 0 && rate <= 1))
    throw InputError(fmt::format("rate: expected a share from 0 to 1, found {}", rate));
  headwater::save_pruned(impl_->identity.folder.path, impl_->identity.weight_files,
                         impl_->of_one_sequence().info(), pruned_mask(importance, rate, false, false),
                         folder);
}

TriggerReport Engine::triggers(std::span<const LabelledInput> inputs, const TriggerOptions& options,
                               const LabelledRun& run) const {
  return impl_->recorded(inputs, run, "triggers",
                         [&](const auto& model, const auto& labelled, const auto& advance) {
                           return find_triggers(model, labelled, options, advance, run.max_memory);
                         });
}

LabelledPlan Engine::plan_triggers(std::span<const LabelledInput> inputs, const TriggerOptions& options,
                                   std::size_t max_memory) const {
  return headwater::plan_triggers(impl_->of_one_sequence(),
                                  prepare_labelled(impl_->of_one_sequence(), inputs), options, max_memory);
}

}  // namespace headwater
