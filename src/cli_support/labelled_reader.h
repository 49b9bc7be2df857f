// Labelled files: a table of texts with their gold labels.
#pragma once

#include <string>
#include <vector>

#include <headwater/heads.h>

namespace headwater {

class Arguments;

struct LabelledOptions {
  std::string file;
  std::size_t limit;  // 0: all

  std::vector<LabelledInput> read() const;
};
// --file and --limit; `limit_help` says what the inputs are for.
void add_labelled_options(Arguments& arguments, LabelledOptions& options, const std::string& limit_help);
// --by: rankings of heads, separated by commas.
void add_rankings_option(Arguments& arguments, std::string& rankings);

// TSV with a header that names "label" and "sentence" or "text" (and "pair", "sentence2" or "text_pair"), TSV
// without one (text, label), or JSON Lines with the same names. At most `limit` inputs (0: all). Throws
// InputError naming file and line.
std::vector<LabelledInput> read_labelled(const std::string& path, std::size_t limit);

}  // namespace headwater
