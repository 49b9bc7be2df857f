// Files of inputs with their gold labels, for commands that need all of them at once.
#pragma once

#include <string>
#include <vector>

#include <headwater/heads.h>

#include "corpus/corpus_reader.h"

namespace headwater {

class Arguments;
struct OutputOptions;

struct LabelledOptions {
  CorpusOptions corpus;
  std::size_t limit;      // 0: all
  bool truncate = false;  // cut a text that is too long

  // Prints how the file was read. Throws InputError with file and line, also for a missing label.
  std::vector<LabelledInput> read(const OutputOptions& output) const;
};
// Adds the file's options and --limit; `limit_help` describes the inputs.
void add_labelled_options(Arguments& arguments, LabelledOptions& options, const std::string& limit_help);
// Adds --by: rankings of heads, separated by commas.
void add_rankings_option(Arguments& arguments, std::string& rankings);

}  // namespace headwater
