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

  // Says what the file was taken for. Throws InputError naming file and line, also where a label is missing.
  std::vector<LabelledInput> read(const OutputOptions& output) const;
};
// The file's options and --limit; `limit_help` says what the inputs are for.
void add_labelled_options(Arguments& arguments, LabelledOptions& options, const std::string& limit_help);
// --by: rankings of heads, separated by commas.
void add_rankings_option(Arguments& arguments, std::string& rankings);

}  // namespace headwater
