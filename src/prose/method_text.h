// Method records as text: the list, and one record in full.
#pragma once

#include <string>
#include <vector>

namespace headwater {

struct Method;

std::vector<std::string> claims_of(const Method& method);  // "rows sum to 1", …
std::string methods_table();
std::string method_page(const Method& method);
std::string methods_markdown();  // docs/methods.md
std::string methods_json();      // every record, for programs
std::string method_json(const Method& method);

}  // namespace headwater
