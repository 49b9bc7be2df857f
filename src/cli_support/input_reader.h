// Where texts and images come from: an argument, a file of lines, standard input, or --image. Read one at a
// time, so that a file may be larger than memory.
#pragma once

#include <cstddef>
#include <fstream>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include <headwater/request.h>

namespace headwater {

class Arguments;

struct InputOptions {
  std::string text;
  bool has_text = false;  // an empty text is a text
  std::string pair;
  bool has_pair = false;
  std::string file;
  std::vector<std::string> images;
  bool tsv = false;
  bool truncate = false;
};
void add_input_options(Arguments& arguments, InputOptions& options);
// --file, --tsv and --truncate alone: for commands over many texts.
void add_text_file_options(Arguments& arguments, InputOptions& options);

class InputReader {
 public:
  // Throws InputError when the options contradict each other, the file cannot be opened, or there is
  // nothing to read and standard input is a terminal.
  explicit InputReader(const InputOptions& options);

  std::optional<Input> next();
  // The inputs were named one by one on the command line, so there is exactly one (or one per --image).
  bool from_arguments() const { return lines_ == nullptr; }
  // For what holds one result alone: throws InputError if another input follows. `what` ends "expected one
  // input for …".
  void expect_last(const std::string& what);
  std::string where() const;  // of the last input, for messages: "lines.txt:17", or nothing

 private:
  Input from_line(std::string line) const;

  const InputOptions options_;
  std::ifstream file_;
  std::istream* lines_ = nullptr;
  std::string name_;
  std::size_t count_ = 0;
};

}  // namespace headwater
