// Lines and tables, one row at a time, so that a file may be larger than memory.
//
//   Lines   a text per line, or an object of JSON per line: one cell
//   Tsv     cells between tabs; quotes are letters like any other, as in GLUE's files
//   Csv     cells between commas as RFC 4180 has them: a quoted cell may hold commas, line breaks and doubled
//           quotes
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <vector>

namespace headwater {

class RowReader {
 public:
  enum class Format { Lines, Tsv, Csv };

  // A row of somebody's texts: "War and Peace" has 3.2 MB. What is made of a text takes a hundred times as
  // much.
  static constexpr std::size_t longest_text = std::size_t{4} << 20;
  static constexpr std::size_t longest_result = std::size_t{64} << 20;  // of what a run has kept

  // `name` is for messages. A byte order mark at the start is passed over.
  RowReader(std::istream& stream, Format format, std::string name, std::size_t longest = longest_text);

  // The next row that holds more than white space; false at the end. Line ends are \n or \r\n. Throws
  // InputError naming file and line for a row that is longer than the longest, a quote that never closes, or
  // letters behind a closing quote; the next call goes on behind that row. A line without an end, as a device
  // has, is left after 256 MiB, and with it the file.
  bool next(std::vector<std::string>& cells);
  std::size_t line() const { return begin_; }   // where the last row began, from 1
  std::size_t blank() const { return blank_; }  // lines passed over so far because nothing was on them
  std::string where() const;                    // "dev.tsv:17"

 private:
  bool read_line(std::string& line);
  bool split_csv(std::string line, std::vector<std::string>& cells);

  std::istream& stream_;
  const Format format_;
  const std::string name_;
  const std::size_t longest_;
  bool left_ = false;  // because a line did not end
  std::size_t line_ = 0, begin_ = 0, blank_ = 0;
};

}  // namespace headwater
