// Tangents: how a hidden vector of any layer answers to a small change of one token, in forward mode. One
// tangent gives J_ij v for all tokens j and all layers at once, and all tangents share the one recorded run.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "study/study.h"

namespace headwater {

// A direction at one token of the source. Exact parts add up; probes are random and are averaged.
struct Start {
  Index token = 0;
  bool probe = false;
  std::vector<double> direction;
};

// The directions of a basis.
std::vector<Start> basis_at(Index token, Index width);

// |J v|² collected over starts, one cell per (layer, token written, token read), or with heads between.
struct SquaredNorms {
  explicit SquaredNorms(Index cells) : exact(as_size(cells)), sum(exact.size()), squares(exact.size()) {}
  void add(Index cell, double value, bool probe);
  std::vector<double> exact;         // Σ over exact parts
  std::vector<double> sum, squares;  // Σ x and Σ x² over probes
};

// Where tangents start and how far they go.
struct LayerRange {
  Site source = Site::ResidPre;  // of `first`
  int first = 0, last = 0;       // layers, both included
};

// Pushes the starts in tiles that fit study.scratch and adds what arrives after each layer (`hidden`, cells
// [L, T, T]) and, unless null, in each head's output (`heads`, cells [L, H, T, T]). The sums do not depend on
// the tiles. `after` is called with the number of starts done.
void push_starts(const Study& study, const LayerRange& course, std::span<const Start> starts,
                 SquaredNorms& hidden, SquaredNorms* heads, const std::function<void(Index)>& after);

// σ_max of every block J_ij for one token i, from a basis of tangents: cells of `norms` [L, T, T].
void push_spectral(const Study& study, const LayerRange& course, Index token, std::vector<double>& norms);

// |J_ijᵀ 1| by pulling a vector of ones from each token j of the last layer back to the source: that layer's
// cells of `norms` [L, T, T].
void pull_ones(const Study& study, const LayerRange& course, std::vector<double>& norms);

// Signals at the source of a course, [S, 1, T, D]: the cotangents of every layer's output pulled back
// together. `cotangent` is asked for them layer by layer, from the last; empty: none there.
Tensor pull_layers(const Study& study, const LayerRange& course,
                   const std::function<Tensor(int layer)>& cotangent);

// Tangents after the last layer of the course for seeds [S, 1, T, D] at the source.
Tensor push_to_last(const Study& study, const LayerRange& course, Tensor seeds);

// Bytes of one tangent on its way through a block, and how many fit the scratch.
std::size_t tangent_bytes(const ModelInfo& info, Index tokens);
Index tangents_at_once(const Study& study);

}  // namespace headwater
