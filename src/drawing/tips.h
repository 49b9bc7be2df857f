// The text of a figure's mark under the pointer. The page's own figures have the same texts for the same
// marks, so that tests can compare the two mark by mark.
#pragma once

#include <string>
#include <string_view>

#include <headwater/report.h>

namespace headwater {

// A number with four decimals, small ones as 1.23e-4, with a true minus; – for NaN.
std::string shown_number(double value);

std::string in_quotes(std::string_view name);  // “film”
std::string in_quotes(const Unit& unit);

// The place in a map with these axes: "L2 H1", "L2 mean of heads", "L2", or nothing. −1 means the mean over
// heads.
std::string place_words(const Map& map, Index layer, Index head);

// The name of a row of scores: "chefer for POSITIVE", "attention L2 mean of heads".
std::string scores_words(const Report& report, const Attribution& result, Index layer);

// "L2 H1: “film” reads “good” 0.1234"; "masked" for NaN.
std::string cell_tip(const std::string& place, const std::string& reader, const std::string& read,
                     double value);
// "chefer for POSITIVE: “good” 0.1234"; "not measured" for NaN, of a map "masked".
std::string score_tip(const std::string& scores, const std::string& name, double value, bool of_map);

}  // namespace headwater
