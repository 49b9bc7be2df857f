// Which of a model's labels a caller means: the one lookup of every command that takes a label.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headwater {

// By name, by name in another case where that fits one label only, by index. Throws InputError that begins
// with `what` and lists the labels.
int label_index(const std::vector<std::string>& labels, std::string_view wanted, std::string_view what);

bool same_ignoring_case(std::string_view a, std::string_view b);  // of ASCII letters

}  // namespace headwater
