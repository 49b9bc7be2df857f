// Results of shards, joined to the file that one run would have written.
//
// Shards take inputs in turn, and so do their results: the joined file has the first input of every shard in
// the order of the shards, then the second of each, until the one whose turn it is has no more. Then no other
// may have any, and the numbers of lines may never have gone back: otherwise something is missing or doubled.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace headwater {

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann's move throws nothing
struct Merged {
  OrderedJson run;  // that one run
  std::size_t inputs = 0, failed = 0;
};

// The files may be in any order. Throws InputError naming the file that is not finished, not of a shard,
// of another run than the others, or changed since; or the shards that are missing, or doubled. FormatError:
// lines that cannot be those of shards.
Merged merge_shards(const std::vector<std::string>& files,
                    const std::function<void(std::string_view)>& write);

}  // namespace headwater
