// Where inputs come from: an argument, a file, standard input, or --image. Read one at a time, so that a file
// may be larger than memory.
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
// The file and --truncate alone: for commands over many texts.
void add_text_file_options(Arguments& arguments, InputOptions& options);
// --file (which is returned), --input-format, --header and the columns.
Argument add_corpus_options(Arguments& arguments, CorpusOptions& options, const std::string& file_help);
// --gold-label: labels of a file by the model's names.
void add_gold_label_option(Arguments& arguments, std::map<std::string, std::string>& names);
void add_truncate_option(Arguments& arguments, bool& truncate);
// --windows and --overlap: a text that is too long in several parts.
struct WindowOptions {
  bool windows = false;
  std::optional<int> overlap;
  // The tokens that neighbours share, if windows are asked for. Throws InputError for contradictions.
  std::optional<int> chosen(bool truncate) const;
};
void add_window_options(Arguments& arguments, WindowOptions& options);
// --shard, for commands that give a result per input.
void add_shard_option(Arguments& arguments, std::optional<Shard>& shard);

// Throws InputError for a text of white space alone: nothing of it could be explained.
void require_text(const Input& input);

class InputReader {
 public:
  // Throws InputError when the options contradict each other, the file cannot be opened or its columns not
  // told, or there is nothing to read and standard input is a terminal.
  explicit InputReader(const InputOptions& options);

  std::optional<Example> next();
  std::vector<Input> rest();  // all that are left, without what else their lines say
  // The inputs were named one by one on the command line, so there is exactly one (or one per --image).
  bool from_arguments() const { return corpus_ == nullptr; }
  const CorpusReader* corpus() const { return corpus_.get(); }  // null: from arguments
  // For what holds one result alone: throws InputError if another input follows. `what` ends "expected one
  // input for …".
  void expect_last(const std::string& what);
  std::string where() const;  // of the last input, for messages: "lines.txt:17", or nothing
  // For standard error: what a file was taken for, and what of it was left out. Empty: nothing to say.
  std::string understood() const;
  std::string left_out() const;

 private:
  const InputOptions options_;
  std::unique_ptr<CorpusReader> corpus_;
  std::size_t count_ = 0;
};

}  // namespace headwater
