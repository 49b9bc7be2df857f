// Tokens as running text: joined where the original joins them, and wrapped between words.
#pragma once

#include <string>
#include <vector>

#include <headwater/report.h>

namespace headwater {

// The text of a token for a terminal; never empty.
std::string token_text(const Unit& token);
// The text of a token for lists, without the space that some tokenizers count to the next word.
std::string token_word(const Unit& token);

struct TextPiece {
  enum class Before {
    Nothing,
    Space,
    Line
  };  // what the original has between this piece and the previous one
  Before before = Before::Nothing;
  std::string text;
};
// One piece per token, in order.
std::vector<TextPiece> pieces_of(const Report& report);

// A piece as it is printed, and the number of columns it takes.
struct PrintedPiece {
  TextPiece::Before before = TextPiece::Before::Nothing;
  std::string printed;
  int columns = 0;
};
// Joins pieces to lines of at most `width` columns, each after two spaces. Lines break between words, and
// within a word that is longer than a line between its pieces.
std::string running_lines(const std::vector<PrintedPiece>& pieces, int width);

}  // namespace headwater
