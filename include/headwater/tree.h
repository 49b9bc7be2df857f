// Attribution trees (Hao et al., 2021): which tokens pass information to which, layer by layer.
#pragma once

#include <vector>

#include <headwater/report.h>

namespace headwater {

struct TreeEdge {
  int parent = 0, child = 0, layer = 0;
  double score = 0;  // attribution of parent's row, child's column, summed over heads
};

struct Tree {
  int root = 0;
  std::vector<TreeEdge> edges;  // in the order they were found, from the top layer down
  double kept = 0;              // Σ over edges of the normalised score − λ
};

struct TreeOptions {
  bool published = false;  // the released script's steps instead of the optimisation's
  double tau = 0.4;        // an edge needs more than this share of its layer's largest attribution
  double lambda = 0;       // cost of an edge, as such a share; an edge below it is not worth adding
  // The token the output is read from. It is never the root and is attached to the tree at the top. Engine::tree
  // sets it.
  int answer = 0;
};

// A tree and the explanation from which it was made.
struct TreeReport {
  Tree tree;
  Report report;
  std::vector<Check> checks;  // checks of the attribution, then of the tree
};

}  // namespace headwater
