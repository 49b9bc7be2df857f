// Unicode's bidirectional algorithm (UAX #9) over pieces of a line, a piece for a letter: rules P2, W2, W4 to
// W7, N1, N2, I1, I2 and L2 without embeddings, which no piece has (terminal_safe takes them out). Spaces
// between pieces are pieces of their own. web/src/model/reading.ts is the same for the page.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

// Odd levels are written from the right. A line runs from the right (`right`) when its first letter does.
struct ReadingLevels {
  bool right = false;
  std::vector<int> levels;
};
ReadingLevels reading_levels(std::span<const std::string> pieces);

// Which piece stands first, second, … from the left on one row.
std::vector<std::size_t> visual_order(std::span<const int> levels);

// A text of ours with words of any script in it, to be read from the left: numbers and commas behind a word
// that is written from the right stay behind it. Marks (U+200E) are set after such words; other texts stay as
// they are.
std::string read_from_left(std::string_view text);

}  // namespace headwater
