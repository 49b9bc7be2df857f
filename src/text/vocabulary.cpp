#include "text/vocabulary.h"

#include <algorithm>
#include <bit>

#include "base/json.h"

namespace headwater {
namespace {

std::size_t slot_hash(std::string_view piece) {
  return std::hash<std::string_view>{}(piece);
}

}  // namespace

Vocabulary::Vocabulary(const JsonView& object) {
  entries_.reserve(object.object().size());
  for (const auto& [piece, id] : object.json().items()) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= INT32_MAX)
      JsonView(id, object.where() + "[\"" + piece.substr(0, 60) + "\"]").id();
    entries_.emplace_back(piece, id.get<int>());
  }
  build();
}

Vocabulary::Vocabulary(Entries entries) : entries_(std::move(entries)) {
  build();
}

Vocabulary::Vocabulary(const JsonView& model, Entries* read)
    : Vocabulary(read != nullptr ? Vocabulary(std::move(*read)) : Vocabulary(model.at("vocab"))) {}

void Vocabulary::build() {
  const std::size_t slots = std::bit_ceil(entries_.size() * 2 + 1);
  table_.assign(slots, 0);
  dense_.assign(entries_.size() * 2, 0);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const auto& [piece, id] = entries_[i];
    longest_ = std::max(longest_, piece.size());
    const auto entry = static_cast<std::uint32_t>(i + 1);
    std::size_t slot = slot_hash(piece) & (slots - 1);
    while (table_[slot] != 0 && entries_[table_[slot] - 1].first != piece) slot = (slot + 1) & (slots - 1);
    if (table_[slot] != 0) ++shadowed_;
    table_[slot] = entry;
    if (static_cast<std::size_t>(id) < dense_.size()) {
      dense_[static_cast<std::size_t>(id)] = entry;
    } else {
      sparse_[id] = entry;
    }
  }
}

std::optional<int> Vocabulary::find(std::string_view piece) const {
  if (piece.size() > longest_ || table_.empty()) return std::nullopt;
  const std::size_t mask = table_.size() - 1;
  for (std::size_t slot = slot_hash(piece) & mask; table_[slot] != 0; slot = (slot + 1) & mask) {
    const auto& entry = entries_[table_[slot] - 1];
    if (entry.first == piece) return entry.second;
  }
  return std::nullopt;
}

std::optional<std::string_view> Vocabulary::piece(int id) const {
  if (id < 0) return std::nullopt;
  std::uint32_t entry = 0;
  if (static_cast<std::size_t>(id) < dense_.size()) {
    entry = dense_[static_cast<std::size_t>(id)];
  } else if (const auto found = sparse_.find(id); found != sparse_.end()) {
    entry = found->second;
  }
  if (entry == 0) return std::nullopt;
  return entries_[entry - 1].first;
}

}  // namespace headwater
