// Attribution of attention weights (Hao et al., 2021): what each weight of each head contributes to an
// output, by integrated gradients from no attention to the attention there was, one layer at a time.
#pragma once

#include <optional>
#include <vector>

#include "explain/mixing_steps.h"
#include "explain/objective.h"
#include "numerics/quadrature.h"
#include "study/study.h"

namespace headwater {

// With what is said nowhere else: the defaults of the method, and of the importance of heads, trees and
// triggers that rest on it.
struct AttentionAttributionOptions {
  Quantity quantity = Quantity::Probability;  // F, for those who make the objective
  // A fixed rule; none: nested nodes until no attribution of a layer is off by more than `tolerance` of its
  // largest, and their sum by no more than that of the largest or of what it should be.
  std::optional<std::vector<Node>> nodes;
  double tolerance = 0.01;
};

// Per layer: of models with several kinds of attention, per attention in the order they run.
struct AttentionAttribution {
  std::vector<Map> maps;          // one for each kind of attention: [layer, head, query, key], signed
  std::vector<MixingStep> steps;  // the attentions that the lists below are of
  std::vector<int> nodes;         // evaluations per layer, forward and back
  std::vector<double> change;     // F(A) − F(0) per layer
  std::vector<double> defect;     // Σ scores − F(A) + F(0) per layer
  std::vector<double> rounding;   // what rounding alone can make of it
  std::vector<double>
      error;        // estimated, of any attribution, in shares of the layer's largest; adaptive only
  double flop = 0;  // of all products but the study's own run

  const Tensor& scores() const {
    return maps.front().values;
  }  // of the first kind, the only one of usual models
};

// How far it is from what was asked, to be compared with the tolerance; the worst layer counts. Completeness:
// the defect beyond rounding as a share of the layer's largest attribution or of the change it should sum to,
// whichever is larger. Error: as estimated; none for a fixed rule.
double completeness_gap(const AttentionAttribution& found);
std::optional<double> estimated_error(const AttentionAttribution& found);
bool resolved(const AttentionAttribution& found, double tolerance);  // both
std::vector<Check> attribution_checks(const AttentionAttribution& found, double tolerance);

// The sites it reads, and what it needs beyond them and its result for a text of this length.
std::vector<Site> attention_attribution_sites();
std::size_t attention_attribution_bytes(const ModelInfo& info, Index tokens);

// Throws Unsupported if the model is not made of blocks. Reports progress from 0 to 1.
AttentionAttribution attribute_attention(const Study& study, const Objective& objective,
                                         const AttentionAttributionOptions& options = {});

}  // namespace headwater
