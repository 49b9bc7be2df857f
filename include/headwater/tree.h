// Attribution trees (Hao et al., 2021): which tokens pass what on to which, layer by layer.
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
  double lambda = 0;       // cost of an edge, in the same shares: below it an edge does not pay
  int answer = 0;          // the token the output is read from: never the root, tied to the tree at the top;
                           // Engine::tree knows it
};

// A tree and the explanation by attattr that it was made of.
struct TreeReport {
  Tree tree;
  Report report;
  std::vector<Check> checks;  // of the attribution, then of the tree
};

}  // namespace headwater
