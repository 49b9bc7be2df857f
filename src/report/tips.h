// What a mark of a figure says under the pointer. The page's own figures say the same of the same marks, so
// that the two can be compared mark by mark.
#pragma once

#include <string>
#include <string_view>

#include <headwater/report.h>

namespace headwater {

// Four decimals, small numbers as 1.23e-4, with a true minus; – where there is none.
std::string shown_number(double value);

std::string in_quotes(std::string_view name);  // “film”
std::string in_quotes(const Unit& unit);

// "L2 H1", "L2 mean of heads", "L2", or nothing: where in a map of these axes. −1: the mean over heads.
std::string place_words(const Map& map, Index layer, Index head);

// "chefer for POSITIVE", "attention L2 mean of heads": whose scores a row of them is.
std::string scores_words(const Report& report, const Attribution& result, Index layer);

// "L2 H1: “film” reads “good” 0.1234"; "masked" for NaN.
std::string cell_tip(const std::string& place, const std::string& reader, const std::string& read,
                     double value);
// "chefer for POSITIVE: “good” 0.1234"; "not measured" for NaN, of a map "masked".
std::string score_tip(const std::string& scores, const std::string& name, double value, bool of_map);

}  // namespace headwater
