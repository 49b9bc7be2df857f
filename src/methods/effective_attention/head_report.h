// How far an attention map is determined by what its head writes: the numbers reported per layer and head
// beside effective attention.
#pragma once

#include <string_view>
#include <vector>

#include <headwater/report.h>

#include "study/attentions.h"

namespace headwater {

// One number per layer and head of each, for one kind of attention.
class HeadReport {
 public:
  // T queries, S keys, and E the width of a head.
  struct Sizes {
    Index queries, keys, width;
  };
  HeadReport(const AttentionKind& kind, const Sizes& sizes);

  // From the values V [S, E]: their rank, that of [V, 1], and σ_1 / σ_rank.
  void space(Index layer, Index head, Index rank, Index rank_with_ones, double kappa);
  // From the maps, raw and effective [T, S], and the values [S, c] whose mixture must not change.
  template <class R>
  void maps(Index layer, Index head, const R* raw, const R* effective, const double* values, Index width);

  double worst_output_error() const;  // largest |A⊥V − AV| / |AV| of all heads
  bool identifiable() const;          // at level 0, every head
  std::vector<Map> details() const;

 private:
  double& at(std::string_view table, Index layer, Index head);  // where a head's numbers begin
  AttentionKind kind_;
  Sizes size_;
  std::vector<Map> tables_;  // [L, H], and [L, H, S] of what keys receive
};

}  // namespace headwater
