#include "identifiability/finished.h"

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/json.h"

namespace headwater {
namespace {

constexpr const char* kind = "headwater identify";
constexpr std::chrono::seconds pause{2};

Json to_json(const FinishedCell& cell) {
  Json hits = Json::array();
  for (const TextHits& h : cell.hits) hits.push_back({h.id, h.position, h.content_id, h.content_position});
  return {{"hits", std::move(hits)}, {"epochs", cell.epochs}, {"residual", cell.residual}};
}

FinishedCell from_json(const Json& json) {
  FinishedCell cell{
      .hits = {}, .epochs = json.at("epochs").get<int>(), .residual = json.at("residual").get<double>()};
  for (const Json& h : json.at("hits"))
    cell.hits.push_back({.id = h.at(0).get<int>(),
                         .position = h.at(1).get<int>(),
                         .content_id = h.at(2).get<int>(),
                         .content_position = h.at(3).get<int>()});
  return cell;
}

}  // namespace

Finished::Finished(std::string path, std::map<std::string, std::string> settings)
    : path_(std::move(path)), settings_(std::move(settings)) {
  if (path_.empty()) return;
  if (file_exists(path_))
    read();
  else
    save();  // a place that cannot be written is better known now than after hours
}

void Finished::read() {
  const Json json = read_json_file(path_);
  if (!json.is_object() || !json.contains("kind") || json["kind"] != kind)
    throw FormatError(
        fmt::format("{}: expected the finished cells of an earlier run, found another file; name "
                    "one that does not exist yet",
                    path_));
  try {
    std::string different;
    const auto theirs = json.at("settings").get<std::map<std::string, std::string>>();
    for (const auto& [name, value] : settings_)
      if (!theirs.contains(name) || theirs.at(name) != value)
        different += (different.empty() ? "" : ", ") + name;
    if (!different.empty())
      throw InputError(
          fmt::format("{}: expected the finished cells of the same run, found another ({}); remove it or "
                      "name another file",
                      path_, different));
    for (const auto& [key, value] : json.at("cells").items()) cells_.emplace(key, from_json(value));
    for (const auto& [key, value] : json.at("numbers").items())
      numbers_.emplace(key, value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
  } catch (const Json::exception& error) {
    throw FormatError(fmt::format("{}: expected finished cells, found {}", path_, error.what()));
  }
  found_ = cells_.size();
}

const FinishedCell* Finished::cell(const std::string& key) const {
  const auto at = cells_.find(key);
  return at == cells_.end() ? nullptr : &at->second;
}

std::optional<double> Finished::number(const std::string& key) const {
  const auto at = numbers_.find(key);
  return at == numbers_.end() ? std::nullopt : std::optional(at->second);
}

void Finished::add(const std::string& key, FinishedCell cell) {
  cells_.insert_or_assign(key, std::move(cell));
  save_sometimes();
}

void Finished::add(const std::string& key, double number) {
  numbers_.insert_or_assign(key, number);
  save_sometimes();
}

void Finished::save_sometimes() {
  if (std::chrono::steady_clock::now() - saved_ >= pause) save();
}

void Finished::save() {
  if (path_.empty()) return;
  Json cells = Json::object(), numbers = Json::object();
  for (const auto& [key, cell] : cells_) cells[key] = to_json(cell);
  for (const auto& [key, number] : numbers_)
    numbers[key] = std::isfinite(number) ? Json(number) : Json(nullptr);
  const Json json{
      {"kind", kind}, {"settings", settings_}, {"cells", std::move(cells)}, {"numbers", std::move(numbers)}};
  write_file(path_, json.dump() + "\n");
  saved_ = std::chrono::steady_clock::now();
}

}  // namespace headwater
