#include "corpus/row_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <headwater/error.h>

namespace headwater {
namespace {

constexpr std::size_t most_dropped = std::size_t{1} << 28;

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

}  // namespace

RowReader::RowReader(std::istream& stream, Format format, std::string name, std::size_t longest)
    : stream_(stream), format_(format), name_(std::move(name)), longest_(longest) {}

std::string RowReader::where() const {
  return fmt::format("{}:{}", name_, begin_);
}

// A line without its end. By hand, because std::getline would read a file without line ends whole.
bool RowReader::read_line(std::string& line) {
  line.clear();
  std::streambuf* bytes = stream_.rdbuf();
  constexpr int end = std::char_traits<char>::eof();
  std::size_t dropped = 0;
  if (left_) return false;
  try {
    int byte = bytes->sbumpc();
    if (byte == end) return false;
    ++line_;
    for (; byte != end && byte != '\n' && dropped < most_dropped; byte = bytes->sbumpc())
      if (line.size() < longest_)
        line += std::char_traits<char>::to_char_type(byte);
      else
        ++dropped;
  } catch (const std::ios_base::failure&) {
    throw InputError(fmt::format("{}: cannot be read: {}", name_, std::strerror(errno)));
  }
  left_ = dropped == most_dropped;
  if (dropped > 0) {
    begin_ = line_;
    line = std::string();
    throw InputError(fmt::format("{}: expected a line of at most {} MiB, found {}{} bytes more", where(),
                                 longest_ >> 20, left_ ? "at least " : "", dropped));
  }
  if (line.ends_with('\r')) line.pop_back();
  if (line_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  return true;
}

bool RowReader::next(std::vector<std::string>& cells) {
  cells.clear();
  std::string line;
  for (;; ++blank_) {
    if (!read_line(line)) return false;
    if (!is_blank(line)) break;
  }
  begin_ = line_;
  if (format_ == Format::Csv) return split_csv(std::move(line), cells);
  if (format_ == Format::Lines) {
    cells.push_back(std::move(line));
    return true;
  }
  std::size_t begin = 0;
  for (std::size_t tab = line.find('\t'); tab != std::string::npos; tab = line.find('\t', begin)) {
    cells.push_back(line.substr(begin, tab - begin));
    begin = tab + 1;
  }
  cells.push_back(line.substr(begin));
  return true;
}

bool RowReader::split_csv(std::string line, std::vector<std::string>& cells) {
  std::size_t bytes = line.size();
  for (std::size_t at = 0;; ++at) {
    std::string cell;
    if (at < line.size() && line[at] == '"') {
      for (++at;; ++at) {
        if (at == line.size()) {  // the cell goes on in the next line
          cell += '\n';
          if (bytes > longest_ || !read_line(line))
            throw InputError(fmt::format("{}: expected the end of a quoted cell, found {}", where(),
                                         bytes > longest_ ? fmt::format("{} MiB without one", longest_ >> 20)
                                                          : "the end of the file"));
          bytes += line.size();
          at = std::string::npos;
        } else if (line[at] != '"') {
          cell += line[at];
        } else if (at + 1 < line.size() && line[at + 1] == '"') {
          cell += line[at++];
        } else {
          break;
        }
      }
      if (++at < line.size() && line[at] != ',')
        throw InputError(fmt::format(
            "{}: expected a comma after a quoted cell, found \"{}\"; a quote inside a cell is written twice",
            where(), line[at]));
    } else {
      const std::size_t end = std::min(line.find(',', at), line.size());
      cell = line.substr(at, end - at);
      at = end;
    }
    cells.push_back(std::move(cell));
    if (at >= line.size()) return true;
  }
}

}  // namespace headwater
