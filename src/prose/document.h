// What a command found: lines, tables, lists and checks, with the record of the run. Every command's document has every
// form: terminal, Markdown, LaTeX, CSV, JSON and HTML. Charts are drawn elsewhere (drawing/charts.h).
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <headwater/formats.h>
#include <headwater/report.h>

namespace headwater {

inline constexpr const char* document_formats = "text|markdown|latex|csv|json|html";
inline constexpr const char* charted_formats =
    "text|markdown|latex|csv|json|html|svg";  // of what has a chart
inline constexpr const char* document_endings = ".txt=text .md=markdown .tex=latex";

struct DocumentLine {
  std::string text;  // empty: a blank line in a terminal
  // In a terminal: not broken if negative, else a paragraph whose lines begin after so many spaces.
  int first = -1, rest = 0;
};

struct DocumentCell {
  // NOLINTNEXTLINE(google-explicit-constructor): a text is a cell
  DocumentCell(std::string shown, std::string beside = {}, bool is_best = false)
      : text(std::move(shown)), aside(std::move(beside)), best(is_best) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  DocumentCell(const char* shown) : text(shown) {}
  std::string text, aside;  // an interval stands beside its number, in small print
  bool best = false;        // of its column: bold where there is bold
  double share = std::numeric_limits<double>::quiet_NaN();  // of the colour in a terminal, from −1 to 1
};

struct DocumentTable {
  std::vector<std::string> header;  // may be empty
  std::vector<std::vector<DocumentCell>> rows;
  std::string right = {};                  // one letter per column: 'r' aligns it to the right
  std::size_t gap = 2;                     // spaces between columns in a terminal
  std::optional<std::size_t> ruled = {};   // a rule stands before this row where there are rules
  std::vector<DocumentLine> instead = {};  // what a terminal shows instead, where lines are easier to read

  void add_number_column(std::string title);  // adds a last column, aligned to the right
};

struct DocumentList {
  std::string title;
  std::vector<std::string> items;
};

struct DocumentChecks {
  std::vector<Check> checks = {};
  std::vector<std::string> notes = {};
};

struct Document {
  std::string title;
  std::vector<std::variant<DocumentLine, DocumentTable, DocumentList, DocumentChecks>> parts = {};
  std::optional<RunRecord> record = {};
  std::string command = {};  // repeats the run
  // Forms with more than the tables show. Without one, CSV has the cells of the tables.
  std::function<std::string()> json = {}, csv = {};
};

// `format` is one of document_formats.
std::string formatted(const Document& document, std::string_view format, const TerminalFormat& terminal);

}  // namespace headwater
