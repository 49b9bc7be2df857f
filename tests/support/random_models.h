// Random checkpoints of every family: a golden model's folder with weights drawn anew, and another
// activation.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/model.h"

namespace headwater::testing {

struct Draw {
  std::string folder;      // of tests/golden/models
  std::string activation;  // empty: the folder's own
  double scale = 1;        // weights are of this size / √inputs
  unsigned seed = 0;
  // Widths and positions are so many times the folder's; above 1 an image has four times the patches and a
  // vocabulary is far wider than everything else, as real ones are.
  int widen = 1;
};
std::string describe(const Draw& draw);

// `count` draws over all families and their heads, the activations and three scales in turn, the same every
// time.
std::vector<Draw> draws(int count, unsigned seed);

std::unique_ptr<Model> random_model(const Draw& draw, DType dtype);

}  // namespace headwater::testing
