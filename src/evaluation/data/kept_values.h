// What an evaluation measured of an example, as a line of JSON that reads back to the same numbers.
#pragma once

#include <string>
#include <vector>

#include <headwater/evaluate.h>

namespace headwater {

std::string values_line(const ExampleValues& values);  // complete with its end
// Lines of such a file, in the order of the shard's examples. Throws FormatError for another.
std::vector<ExampleValues> read_values(const std::string& path, const Shard& shard = {});

}  // namespace headwater
