// The source of inputs: an argument, a file, standard input, or --image. Inputs are read one at a time, so
// that a file may be larger than memory.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <headwater/request.h>

#include "corpus/corpus_reader.h"

namespace headwater {

class Argument;
class Arguments;

struct InputOptions {
  std::optional<std::string> text, pair;  // an empty text is a text
  CorpusOptions corpus;
  std::vector<std::string> images;
  bool truncate = false;
  bool spaced = false;
};
void add_input_options(Arguments& arguments, InputOptions& options);
// Adds only the file and --truncate, for commands over many texts.
void add_text_file_options(Arguments& arguments, InputOptions& options);
// --file (which is returned), --input-format, --header and the columns.
Argument add_corpus_options(Arguments& arguments, CorpusOptions& options, const std::string& file_help);
// Adds --gold-label, which maps labels of a file to the model's.
void add_gold_label_option(Arguments& arguments, std::map<std::string, std::string>& names);
void add_truncate_option(Arguments& arguments, bool& truncate);
// Adds --windows and --overlap, which read a long text in several parts.
struct WindowOptions {
  bool windows = false;
  std::optional<int> overlap;
  // The number of tokens that neighbours share, if windows are requested. Throws InputError for
  // contradictions.
  std::optional<int> chosen(bool truncate) const;
};
void add_window_options(Arguments& arguments, WindowOptions& options);
// Adds --shard, for commands with one result per input.
void add_shard_option(Arguments& arguments, std::optional<Shard>& shard);

// Throws InputError for a text of only white space, in which nothing could be explained.
void require_text(const Input& input);

class InputReader {
 public:
  // Throws InputError if the options contradict each other, if the file cannot be opened or its columns
  // cannot be found, or if there is nothing to read and standard input is a terminal.
  explicit InputReader(const InputOptions& options);

  std::optional<Example> next();
  std::vector<Input> rest();  // all remaining inputs, without other data of their lines
  // Whether the inputs were given on the command line, so that there is exactly one (or one per --image).
  bool from_arguments() const { return corpus_ == nullptr; }
  const CorpusReader* corpus() const { return corpus_.get(); }  // null: from arguments
  // For outputs with a single result: throws InputError if another input follows. `what` completes "expected
  // one input for …".
  void expect_last(const std::string& what);
  std::string where() const;  // the place of the last input, for messages: "lines.txt:17", or nothing
  // A message for standard error: how a file was read, and what was left out. Empty if there is nothing to
  // say.
  std::string understood() const;
  std::string left_out() const;

 private:
  const InputOptions options_;
  std::unique_ptr<CorpusReader> corpus_;
  std::size_t count_ = 0;
};

}  // namespace headwater
