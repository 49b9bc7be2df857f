// Which form of an answer a client takes: the Accept header of RFC 9110, §12.5.1.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headwater {

inline constexpr std::string_view json_type = "application/json",
                                  page_type = "application/vnd.headwater.page",
                                  npz_type = "application/x-npz",
                                  safetensors_type = "application/vnd.safetensors", html_type = "text/html";

// The offered type with the highest quality by the most exact range that names it, of equals the first; the
// first too if nothing was asked for. Nothing if none is taken.
std::optional<std::string_view> chosen_type(const std::string& accept,
                                            std::span<const std::string_view> offered);

}  // namespace headwater
