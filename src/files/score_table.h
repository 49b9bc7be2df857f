// Scores as a table for spreadsheets and data frames, with one row per token (word, patch), method and
// target.
//
// For a method with maps the table has the row of the token that the output was read from, once for every
// layer; the column `layer` distinguishes these. A token that was not measured has no score.
#pragma once

#include <cstddef>
#include <string>

#include <headwater/report.h>

namespace headwater {

// What a file says about the input beyond its text.
struct TableInput {
  std::size_t line = 0;  // in the file, from 1; 0: in no file
  std::string gold;
};

// line, gold, prediction, target, contrast, method, layer, token, text, begin, end, word, sequence, special,
// score; after tabs no field is quoted, and tabs and line breaks in it are written \t and \n.
enum class TableKind { Csv, Tsv };
std::string score_header(TableKind kind);
// The report as its view shows it, line by line.
std::string score_rows(const Report& measured, const TableInput& input, TableKind kind);

}  // namespace headwater
