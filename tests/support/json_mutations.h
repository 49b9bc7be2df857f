// A JSON value with one of its parts damaged: left out, of another type, or beyond what anybody meant.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"

namespace headwater::testing {

// What stands in the place of a part.
inline const std::vector<Json>& json_damages() {
  static const std::vector<Json> all{nullptr,
                                     true,
                                     -1,
                                     0,
                                     2147483648,
                                     -9223372036854775807,
                                     1e308,
                                     0.5,
                                     "",
                                     "encoder",
                                     "\n\x7f",
                                     Json::array(),
                                     Json::object(),
                                     Json::array({Json::array()}),
                                     Json::object({{"x", 1}})};
  return all;
}

// Every place of a value; of a long list its first two and its last.
inline void add_places(const Json& json, const Json::json_pointer& here,
                       std::vector<Json::json_pointer>& places) {
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      places.push_back(here / key);
      add_places(value, here / key, places);
    }
  } else if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i) {
      if (i >= 2 && i + 1 < json.size()) continue;
      places.push_back(here / i);
      add_places(json[i], here / i, places);
    }
  }
}

// How many ways there are to damage one place, and the value damaged in one of them: the part is left out,
// stands twice, or is replaced.
inline std::size_t ways_to_damage() {
  return json_damages().size() + 2;
}
inline Json damaged(Json json, const Json::json_pointer& place, std::size_t way) {
  Json& parent = json.at(place.parent_pointer());
  if (way >= 2) {
    json.at(place) = json_damages()[way - 2];
  } else if (parent.is_object()) {
    if (way == 0) parent.erase(place.back());
  } else {
    const auto at = parent.begin() + std::stol(place.back());
    if (way == 0)
      parent.erase(at);
    else
      parent.push_back(Json(*at));
  }
  return json;
}

}  // namespace headwater::testing
