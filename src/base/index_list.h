// Lists of whole numbers as people write them: "0,3,5-7".
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace headwater {

// 0 3 5 6 7, sorted and without repeats, every one below `limit`. Where a piece between commas is none of
// these, `refuse` is called with it, which throws.
std::vector<int> parse_index_list(const std::string& text, int limit,
                                  const std::function<void(const std::string& piece)>& refuse);

}  // namespace headwater
