// The one lookup of labels for every command that takes a label.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headwater {

// Finds a label by name, by name in another case if that fits only one label, or by index. Throws InputError
// that begins with `what` and lists the labels.
int label_index(const std::vector<std::string>& labels, std::string_view wanted, std::string_view what);

bool same_ignoring_case(std::string_view a, std::string_view b);  // ASCII letters only

}  // namespace headwater
