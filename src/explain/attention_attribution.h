// Attribution of attention weights (Hao et al., 2021): what each weight of each head contributes to an
// output, by integrated gradients from no attention to the actual attention, one layer at a time.
#pragma once

#include <optional>
#include <vector>

#include "explain/mixing_steps.h"
#include "explain/objective.h"
#include "numerics/quadrature.h"
#include "study/study.h"

namespace headwater {

// The defaults here hold for the method and for the head importance, trees and triggers that use it.
struct AttentionAttributionOptions {
  Quantity quantity = Quantity::Probability;  // what F is; the caller makes the objective from it
  // A fixed quadrature rule. Without one, nested nodes are added until every attribution of a layer is within
  // `tolerance` of its largest, and their sum within `tolerance` of the largest or of the sum it should have.
  std::optional<std::vector<Node>> nodes;
  double tolerance = 0.01;
};

// The lists have one entry per layer; for models with several kinds of attention, one per attention in the
// order they run.
struct AttentionAttribution {
  std::vector<Map> maps;          // one for each kind of attention: [layer, head, query, key], signed
  std::vector<MixingStep> steps;  // the attentions to which the lists below belong
  std::vector<int> nodes;         // evaluations per layer, forward and back
  std::vector<double> change;     // F(A) − F(0) per layer
  std::vector<double> defect;     // Σ scores − F(A) + F(0) per layer
  std::vector<double> rounding;   // bound of the defect from rounding alone
  std::vector<double>
      error;        // estimated for any attribution, as a share of the layer's largest; adaptive rule only
  double flop = 0;  // of all products except the study's own run

  const Tensor& scores() const {
    return maps.front().values;
  }  // the first kind, the only one for most models
};

// The distance from the requested accuracy, to be compared with the tolerance, for the worst layer.
// Completeness is the defect beyond rounding, as a share of the layer's largest attribution or of the change
// it should sum to, whichever is larger. The error is estimated; a fixed rule has none.
double completeness_gap(const AttentionAttribution& found);
std::optional<double> estimated_error(const AttentionAttribution& found);
bool resolved(const AttentionAttribution& found, double tolerance);  // both
std::vector<Check> attribution_checks(const AttentionAttribution& found, double tolerance);

// The sites it reads, and the bytes it needs beyond them and its result for a text of this length.
std::vector<Site> attention_attribution_sites();
std::size_t attention_attribution_bytes(const ModelInfo& info, Index tokens);

// Throws Unsupported if the model is not made of blocks. Reports progress from 0 to 1.
AttentionAttribution attribute_attention(const Study& study, const Objective& objective,
                                         const AttentionAttributionOptions& options = {});

}  // namespace headwater
