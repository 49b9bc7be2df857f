#include "identifiability/finished.h"

#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/fields.h"
#include "base/files.h"

namespace headwater {
namespace {

constexpr const char* kind = "headwater identify";
constexpr std::chrono::seconds pause{2};

}  // namespace

auto listed(Of<TextHits> auto& hits) {
  return std::tie(hits.id, hits.position, hits.content_id, hits.content_position);
}

void describe(auto& v, Of<FinishedCell> auto& cell) {
  v("hits", cell.hits);
  v("epochs", cell.epochs);
  v("residual", cell.residual);
}

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
  std::map<std::string, std::string> theirs;
  try {
    FieldReader v(json, whole_file);
    v("settings", theirs);
    v("cells", cells_);
    v("numbers", numbers_);
  } catch (const FormatError& error) {
    throw FormatError(fmt::format("{}: {}", path_, error.what()));
  }
  std::string different;
  for (const auto& [name, value] : settings_)
    if (!theirs.contains(name) || theirs.at(name) != value)
      different += (different.empty() ? "" : ", ") + name;
  if (!different.empty())
    throw InputError(
        fmt::format("{}: expected the finished cells of the same run, found another ({}); remove it or "
                    "name another file",
                    path_, different));
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
  FieldWriter v;
  v("kind", kind);
  v("settings", settings_);
  v("cells", cells_);
  v("numbers", numbers_);
  write_file(path_, v.take().dump() + "\n");
  saved_ = std::chrono::steady_clock::now();
}

}  // namespace headwater
