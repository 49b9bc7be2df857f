// Unicode's bidirectional algorithm (UAX #9) over pieces of a line, where a piece stands for a letter: rules
// P2, W2, W4 to W7, N1, N2, I1, I2 and L2. Pieces have no embeddings, because terminal_safe removes them.
// Spaces between pieces are pieces of their own. web/src/model/reading.ts is the same for the page.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

// Odd levels are written from the right. `right` is true if the first letter of the line is, and the line
// then runs from the right.
struct ReadingLevels {
  bool right = false;
  std::vector<int> levels;
};
ReadingLevels reading_levels(std::span<const std::string> pieces);

// The pieces in the order in which they appear from the left on one row.
std::vector<std::size_t> visual_order(std::span<const int> levels);

// Prepares a text of the program with words of any script in it for reading from the left: numbers and commas
// after a word that is written from the right stay after it. Marks (U+200E) are set after such words; other
// texts do not change.
std::string read_from_left(std::string_view text);

}  // namespace headwater
