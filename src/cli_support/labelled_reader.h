// Labelled files: a table of texts with their gold labels.
#pragma once

#include <string>
#include <vector>

#include <headwater/heads.h>

namespace headwater {

// TSV with a header that names "label" and "sentence" or "text" (and "pair", "sentence2" or "text_pair"), TSV
// without one (text, label), or JSON Lines with the same names. At most `limit` inputs (0: all). Throws
// InputError naming file and line.
std::vector<LabelledInput> read_labelled(const std::string& path, std::size_t limit);

}  // namespace headwater
