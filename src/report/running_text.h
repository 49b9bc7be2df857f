// Tokens as the text they came from: joined where the original joins them, wrapped between words.
#pragma once

#include <string>
#include <vector>

#include <headwater/report.h>

namespace headwater {

// What a terminal may show of a token; never empty.
std::string token_text(const Unit& token);
// In lists and between words: without the space that some tokenizers count to the word behind it.
std::string token_word(const Unit& token);

struct TextPiece {
  enum class Before { Nothing, Space, Line };  // what the original has between this and the piece before
  Before before = Before::Nothing;
  std::string text;
};
// A piece per token, in order.
std::vector<TextPiece> pieces_of(const Report& report);

// A piece as it is printed, and how many columns that takes.
struct PrintedPiece {
  TextPiece::Before before = TextPiece::Before::Nothing;
  std::string printed;
  int columns = 0;
};
// Lines of at most `width` columns, each after two spaces. Breaks between words; within a word that is longer
// than a line, between its pieces.
std::string running_lines(const std::vector<PrintedPiece>& pieces, int width);

}  // namespace headwater
