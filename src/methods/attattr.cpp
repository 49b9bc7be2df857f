// Self-attention attribution (Hao, Dong, Wei and Xu, 2021): integrated gradients on the attention weights of
// one layer at a time, from none to what they were; explain/attention_attribution.h has the mathematics.
#include <numeric>

#include <fmt/format.h>

#include "explain/attention_attribution.h"
#include "explain/kind_maps.h"
#include "methods/method.h"
#include "study/map_checks.h"

namespace headwater {

namespace {

AttentionAttributionOptions settings_of(const MethodOptions& options) {
  AttentionAttributionOptions settings{.quantity = quantity_of(options.text("quantity")),
                                       .nodes = {},
                                       .tolerance = options.number("tolerance")};
  const std::string& rule = options.text("rule");
  if (!(settings.tolerance > 0)) options.refuse("tolerance", "a number above 0");
  if (rule != "adaptive") settings.nodes = quadrature(rule_of(rule), options.integer("steps"));
  return settings;
}

// The defaults are those of all that rests on it.
const AttentionAttributionOptions usual{};
const std::string usual_quantity = usual.quantity == Quantity::Probability ? "probability" : "logit";
const std::string usual_tolerance = fmt::format("{}", usual.tolerance);

// One number per layer, of each kind of attention.
template <class T>
void put_per_layer(Attribution& result, const std::string& name, const AttentionAttribution& found,
                   const std::vector<T>& values) {
  for (const Map& map : found.maps) {
    std::vector<double> numbers;
    for (std::size_t k = 0; k < values.size(); ++k)
      if (found.steps[k].kind.name == map.name) numbers.push_back(static_cast<double>(values[k]));
    result.details.push_back(
        {.name = map.name.empty() ? name : name + "_" + map.name,
         .axes = {Axis::Layer},
         .values = Tensor::of({static_cast<Index>(numbers.size())}, numbers, DType::Float64)});
  }
}

Attribution run(const Study& study, const MethodOptions& options) {
  const AttentionAttributionOptions settings = settings_of(options);
  const Objective objective(study, settings.quantity);
  AttentionAttribution found = attribute_attention(study, objective, settings);
  Attribution result;
  result.checks = attribution_checks(found, settings.tolerance);
  result.notes.push_back(fmt::format("{} evaluations from the layers up, {:.3g} TFLOP; by layer {}.",
                                     std::accumulate(found.nodes.begin(), found.nodes.end(), 0),
                                     found.flop / 1e12, fmt::join(found.nodes, " ")));
  put_per_layer(result, "nodes", found, found.nodes);
  put_per_layer(result, "change", found, found.change);
  put_per_layer(result, "defect", found, found.defect);
  result.maps = std::move(found.maps);
  forbid_future(result, attentions_of(study.info()));
  return result;
}

}  // namespace

extern const Method attattr{
    .name = "attattr",
    .summary = "The contribution of every attention weight to the output, by integrated gradients per layer.",
    .title = "Attention attribution",
    .question = Question::Heads,
    .formula = "Attr[l,h] = A ⊙ ∫₀¹ ∂F(a·A)/∂A da,  F the target's probability;  Σ Attr[l] = F(A) − F(0)",
    .paper =
        "Hao, Dong, Wei & Xu, 2021: Self-Attention Attribution: Interpreting Information Interactions Inside "
        "Transformer. AAAI",
    .cost =
        "Per layer and node, a forward and a backward run of the layers above: 3 nodes where they suffice, "
        "6, 12 or more where the estimated error or completeness requires it. One run and one pull for all "
        "layers are added. Runs for different layers share their products as far as the memory for tiles "
        "allows.",
    .limits =
        "It measures one layer at a time, against a baseline of no attention at all, which no model was "
        "trained on. It leaves out interactions between layers and the effect of the feed-forward layers. "
        "Large attention gains may need many nodes, and the checks say so. The error is estimated, not "
        "bounded: from nested rules, and around the kinks of relu from halves.",
    .options =
        {{"quantity", "probability|logit", usual_quantity,
          "what F is: the target's probability or its logit"},
         {"rule", "adaptive|gauss|left|right|midpoint|trapezoid", "adaptive",
          "nested nodes until the result is complete, or a fixed rule; the paper uses right, its code left"},
         {"steps", "integer", "20", "number of evaluations of a fixed rule", 1, 10000},
         {"tolerance", "number", usual_tolerance,
          "allowed error of any attribution, as a share of its layer's largest, and of a layer's sum"}},
    .claims = {.causal = true},
    .sites = attention_attribution_sites(),
    .tiles = true,
    .needs_target = true,
    .aliases = {"attention_attribution"},
    .role = Role::Heads,
    .compute = run,
    .planned_bytes = planned<attention_attribution_bytes>,
};

}  // namespace headwater
