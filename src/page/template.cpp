#include "page/template.h"

#include <bit>
#include <cmath>
#include <span>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/files.h"

namespace headwater {

std::string script_safe(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string_view three = json.substr(i, 3);
    if (three == "\xe2\x80\xa8" || three == "\xe2\x80\xa9") {
      out += three.back() == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else if (json[i] == '<' || json[i] == '>' || json[i] == '&') {
      out += fmt::format("\\u{:04x}", static_cast<int>(json[i]));
    } else {
      out += json[i];
    }
  }
  return out;
}

std::string filled(std::string_view page, const std::map<std::string, std::string, std::less<>>& values) {
  std::string out;
  while (!page.empty()) {
    const std::size_t open = page.find("{{");
    const std::size_t close = open == std::string_view::npos ? open : page.find("}}", open);
    if (close == std::string_view::npos) break;
    const std::string_view name = page.substr(open + 2, close - open - 2);
    const auto value = values.find(name);
    if (value == values.end())
      throw InternalError(fmt::format("page: expected a value for {{{{{}}}}}, found none", name));
    out += page.substr(0, open);
    out += value->second;
    page.remove_prefix(close + 2);
  }
  return out += page;
}

}  // namespace headwater
