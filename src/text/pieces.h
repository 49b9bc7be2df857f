// A text on its way through the pre-tokenizers: one aligned buffer, cut into pieces ("words").
//
// A piece that is an added token carries its id and is never cut again. Empty pieces do not exist.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "text/aligned_text.h"
#include "text/regex.h"

namespace headwater {

struct Piece {
  std::size_t begin, end;  // bytes of the buffer
  int token = -1;          // id of an added token
};

// What to do with the matches of a splitting pattern; names as in tokenizer.json.
enum class SplitBehavior { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };

struct Pieces {
  AlignedText buffer;
  std::vector<Piece> list;

  std::string_view view(const Piece& piece) const {
    return std::string_view(buffer.text).substr(piece.begin, piece.end - piece.begin);
  }

  // Cuts every open piece where `find` says, treating matches by `behavior`.
  void split(SplitBehavior behavior, const std::function<std::vector<Match>(std::string_view)>& find);
  // Cuts at single characters.
  void split_characters(SplitBehavior behavior, bool (*is_delimiter)(char32_t));
  // Writes every open piece anew; `rewrite` appends the new form of the given piece to the new buffer.
  void rewrite(const std::function<void(const Piece&, AlignedText&)>& rewrite);
};

// The ranges that remain of a list of matches under a behaviour.
std::vector<Match> ranges_by_behavior(const std::vector<Match>& matches, SplitBehavior behavior);

}  // namespace headwater
