#include "text/merge_table.h"

#include <bit>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/json.h"

namespace headwater {
namespace {

std::uint64_t pair_key(int left, int right) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32U) |
         static_cast<std::uint32_t>(right);
}

std::size_t slot_of(std::uint64_t key, std::size_t mask) {
  return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 20U) & mask;
}

struct Parts {
  std::string_view left, right;
};

Parts merge_parts(const Json& merge, const std::string& where, std::size_t index) {
  const auto fail = [&] {
    JsonView(merge, fmt::format("{}[{}]", where, index)).fail("\"left right\" or [\"left\", \"right\"]");
  };
  if (merge.is_array()) {
    if (merge.size() != 2 || !merge[0].is_string() || !merge[1].is_string()) fail();
    return {merge[0].get_ref<const std::string&>(), merge[1].get_ref<const std::string&>()};
  }
  if (!merge.is_string()) fail();
  const std::string_view text = merge.get_ref<const std::string&>();
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos) fail();
  return {text.substr(0, space), text.substr(space + 1)};
}

}  // namespace

MergeTable::MergeTable(const JsonView& merges, const Vocabulary& vocabulary, std::size_t prefix_length) {
  if (!merges.json().is_array()) merges.fail("an array");
  const auto& list = merges.json();
  slots_.assign(std::bit_ceil(list.size() * 2 + 1), Slot{0, {-1, 0}});
  int rank = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    // Old merges.txt files were copied with their first line.
    if (list[i].is_string() && list[i].get_ref<const std::string&>().starts_with("#version")) continue;
    const Parts parts = merge_parts(list[i], merges.where(), i);
    const auto id_of = [&](std::string_view piece) {
      const auto id = vocabulary.find(piece);
      if (!id)
        throw FormatError(fmt::format("{}[{}]: expected pieces of the vocabulary, found \"{}\"",
                                      merges.where(), i, piece.substr(0, 60)));
      return *id;
    };
    const int left = id_of(parts.left), right = id_of(parts.right);
    if (parts.right.size() < prefix_length)
      throw FormatError(fmt::format("{}[{}]: expected a right part with the prefix of {} bytes, found \"{}\"",
                                    merges.where(), i, prefix_length, parts.right));
    std::string joined(parts.left);
    joined += parts.right.substr(prefix_length);
    insert(pair_key(left, right), {rank++, id_of(joined)});
  }
}

void MergeTable::insert(std::uint64_t key, Merge merge) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = slot_of(key, mask);
  while (slots_[slot].merge.rank >= 0 && slots_[slot].key != key) slot = (slot + 1) & mask;
  slots_[slot] = {key, merge};
}

const MergeTable::Merge* MergeTable::find(int left, int right) const {
  const std::size_t mask = slots_.size() - 1;
  const std::uint64_t key = pair_key(left, right);
  for (std::size_t slot = slot_of(key, mask); slots_[slot].merge.rank >= 0; slot = (slot + 1) & mask)
    if (slots_[slot].key == key) return &slots_[slot].merge;
  return nullptr;
}

}  // namespace headwater
