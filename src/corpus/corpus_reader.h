// Inputs of a file, each with what the file says about it: one reader for every command.
//
//   txt     a text per line
//   tsv     a table, cells between tabs
//   csv     a table, cells between commas, quoted where needed (RFC 4180)
//   jsonl   an object per line, its keys being the columns
//
// Columns are found by name, in any case: text (sentence, sentence1, premise, question, review, content),
// pair (text_pair, sentence2, hypothesis, context), label (gold, class), and what a line asks for: target (of
// JSON also a list), contrast, position, image (file_name; relative to the file's folder). A table's first
// row is a header when it names a text or an image.
#pragma once

#include <array>
#include <cstddef>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <headwater/request.h>
#include <headwater/shard.h>

#include "corpus/row_reader.h"

namespace headwater {

struct Example {
  Input input;
  std::string gold;                  // the label the file gives it; empty: none
  std::vector<std::string> targets;  // what this line asks for; empty: what the command line does
  std::string contrast;
  std::optional<int> position;
  std::size_t line = 0;  // where it stands in the file, from 1; 0: in no file
};

struct CorpusOptions {
  std::string file;    // "-": standard input
  std::string format;  // txt, tsv, csv or jsonl; empty: by the file's ending, otherwise txt
  std::string header;  // yes or no; empty: by its names
  // Names of a header or keys; for tables also numbers, counted from 1. Empty: by the names above.
  std::string text_column, pair_column, label_column;
  // Labels are wanted: a file is a table unless something else is said, and without a header its columns are
  // text and label. (Otherwise it has to be said what columns without names are.)
  bool labelled = false;
  // Its examples alone are given out, and those of others not looked at. Lines that cannot be read count too.
  std::optional<Shard> shard;
};

class CorpusReader {
 public:
  // Reads the first row of a table. Throws InputError when the file cannot be opened, or its columns cannot
  // be told.
  explicit CorpusReader(const CorpusOptions& options);

  // Throws InputError or FormatError naming file and line for one that cannot be read; the next call goes on
  // behind it.
  std::optional<Example> next();

  std::string where() const;                     // of the last example: "dev.tsv:17"
  std::size_t line() const;                      // the same as a number
  std::size_t blank() const;                     // lines left out so far
  std::optional<std::size_t> count() const;      // of its examples; nothing for what can be read only once
  bool none_read() const { return seen_ == 0; }  // nor passed over for other shards
  bool has_labels() const { return sources_[Label].found(); }
  // What the columns were taken for: "tsv with a header: text from sentence, label from label; not used:
  // idx".
  std::string understood() const;

 private:
  enum Role : std::size_t { Text, Pair, Label, Target, Contrast, Position, Image };
  static constexpr std::size_t roles = Image + 1;
  // Where a role's values stand: a column of a table or a key of JSON.
  struct Source {
    std::string name;                  // empty: a column without one
    std::optional<std::size_t> index;  // of the column
    bool found() const { return index || !name.empty(); }
  };

  bool next_row(std::vector<std::string>& row);
  std::string asked(std::size_t role) const;
  std::vector<std::string> names(std::size_t role) const;
  void find_columns(const std::vector<std::string>& row);
  void columns_by_name(const std::vector<std::string>& header);
  void columns_by_number(std::size_t width);
  void find_keys(const std::string& line);
  Example from_cells(const std::vector<std::string>& cells) const;
  Example from_json(const std::string& line) const;
  void set(Example& example, std::size_t role, const std::string& value) const;

  const CorpusOptions options_;
  const Shard shard_ = options_.shard.value_or(Shard{});
  std::string name_, format_;
  std::ifstream file_;
  std::unique_ptr<RowReader> rows_;
  bool header_ = false;
  std::array<Source, roles> sources_;
  std::vector<std::string> unused_;
  std::optional<std::vector<std::string>> first_;  // read to find the columns, still to be given out
  std::size_t seen_ = 0;                           // rows so far, of whichever shard
};

}  // namespace headwater
