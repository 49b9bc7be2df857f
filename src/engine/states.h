// Hidden vectors of one token for the facade.
#pragma once

#include <vector>

#include "study/inputs.h"

namespace headwater {

// The input of the first block and the output of every block, [layers + 1][D]. Throws InputError for a
// position outside the text, Unsupported for encoder–decoders.
std::vector<std::vector<double>> hidden_vectors(const LoadedModel& loaded, const Input& input, int position);

}  // namespace headwater
