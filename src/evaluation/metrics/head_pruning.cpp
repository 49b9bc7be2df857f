// Head pruning as an evaluation of head rankings (Michel et al., 2019; Hao et al., 2021): with a_r whether an
// example is classified rightly without the share r of heads that a ranking has last,
//
//   ∫_0^1 a_r dr by trapezoids,
//
// whose mean over examples is the area under accuracy. A good ranking keeps it high; with the most important
// first it should fall. Rankings stand where methods do; random is the mean over several random orders. Heads
// are ranked by the first examples, as the command prune does.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/error.h>

#include "base/strings.h"
#include "evaluation/metrics/evaluation.h"
#include "heads/importance.h"
#include "heads/memory.h"
#include "heads/pruning.h"
#include "numerics/ranking_quality.h"

namespace headwater {

namespace {

std::vector<double> points(const ModelInfo&, const MethodOptions& options) {
  std::vector<double> rates;
  const int steps = options.integer("steps");
  for (int k = 0; k <= steps; ++k) rates.push_back(static_cast<double>(k) / steps);
  return rates;
}

std::vector<std::string> rows(const MethodOptions& options) {
  const std::vector<std::string> known = head_rankings();
  std::vector<std::string> names = split(options.text("rankings"), ',');
  for (const std::string& name : names)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw InputError(fmt::format("head_pruning: option rankings: expected some of {}, found '{}'",
                                   fmt::join(known, ", "), name));
  return names;
}

// Those that heads are ranked by.
std::span<const Labelled> first_inputs(const std::vector<Labelled>& labelled, const MethodOptions& options) {
  return std::span(labelled).first(
      std::min(labelled.size(), static_cast<std::size_t>(options.integer("ranked"))));
}

std::vector<std::vector<EvaluationValue>> measure(const ModelTrial& trial, const MethodOptions& options) {
  const std::vector<Labelled> labelled = prepare_labelled(trial.loaded, trial.inputs);
  const ModelInfo& info = trial.loaded.info();
  const std::vector<std::string> rankings = rows(options);
  const PruningOptions pruning{.rates = points(info, options),
                               .random_orders = options.integer("random_orders"),
                               .seed = static_cast<unsigned>(trial.seed + 1)};
  const auto parts = static_cast<double>(rankings.size() + 1);
  std::vector<HeadMask> masks;
  double done = 0;
  const auto advance = [&](double part) { trial.advance((done + part) / parts); };
  for (const std::string& ranking : rankings) {
    const HeadImportance importance =
        head_importance(trial.loaded, first_inputs(labelled, options), ranking, advance, trial.max_memory);
    for (const double rate : pruning.rates)
      masks.push_back(
          pruned_mask(importance, rate, options.text("scope") == "layer", options.text("order") == "most"));
    ++done;
  }
  for (int k = 0; k < pruning.random_orders; ++k)
    for (HeadMask& mask : random_masks(info, pruning, k)) masks.push_back(std::move(mask));
  const std::size_t batch_tokens =
      batch_memory(info, labelled, bound_beside(labelled, trial.max_memory)).batch_tokens;
  const auto predicted = classify(trial.loaded, labelled, masks, advance, batch_tokens);
  std::vector<std::vector<EvaluationValue>> values(labelled.size());
  const auto orders = static_cast<std::size_t>(pruning.random_orders);
  for (std::size_t i = 0; i < labelled.size(); ++i)
    for (std::size_t row = 0; row <= rankings.size(); ++row) {
      const std::size_t curves = row < rankings.size() ? 1 : orders;
      EvaluationValue made{.curve = std::vector<double>(pruning.rates.size(), 0.0)};
      for (std::size_t k = 0; k < curves; ++k)
        for (std::size_t r = 0; r < pruning.rates.size(); ++r)
          if (predicted[(row + k) * pruning.rates.size() + r][i] == labelled[i].gold)
            made.curve[r] += 1 / static_cast<double>(curves);
      made.value = trapezoid_area(pruning.rates, made.curve);
      values[i].push_back(std::move(made));
    }
  return values;
}

std::size_t model_bytes(const ModelTrial& trial, const MethodOptions& options) {
  const std::vector<Labelled> labelled = prepare_labelled(trial.loaded, trial.inputs);
  const std::vector<std::string> rankings = rows(options);
  std::size_t bytes = plan_pruning(trial.loaded, labelled, rankings.size(), {}, trial.max_memory).bytes;
  for (const std::string& ranking : rankings)
    bytes = std::max(
        bytes,
        plan_importance(trial.loaded, first_inputs(labelled, options), ranking, trial.max_memory).bytes);
  return bytes;
}

}  // namespace

extern const Evaluation head_pruning;
const Evaluation head_pruning{
    .name = "head_pruning",
    .summary =
        "Accuracy as attention heads are removed, the least important first; it evaluates rankings of heads.",
    .formula = "∫_0^1 accuracy without the last share r of heads dr, by trapezoids",
    .paper =
        "Michel, Levy and Neubig, 2019: Are Sixteen Heads Really Better than One? NeurIPS; Hao, Dong, "
        "Wei and Xu, 2021: Self-Attention Attribution. AAAI",
    .better = Evaluation::Better::Higher,
    .turned_by = "order=most",
    .needs = Evaluation::Needs::Labels,
    .options = {{"rankings", "text", "attattr,attention,taylor,accuracy_difference",
                 "the rankings to compare, as headwater heads --by names them"},
                {"order", "least|most", "least", "which heads go first: the least or the most important"},
                {"scope", "global|layer", "global",
                 "global: over all heads; layer: the same share of every layer"},
                {"steps", "integer", "10", "equal steps from all heads to none", 1, 1000},
                {"ranked", "integer", "200", "the number of examples, from the first, that rank the heads", 1,
                 1000000},
                {"random_orders", "integer", "5", "number of orders in the random ranking", 1, 1000}},
    .curve_over = "share of heads removed",
    .points = points,
    .rows = rows,
    .model_bytes = model_bytes,
    .measure_model = measure,
};

}  // namespace headwater
