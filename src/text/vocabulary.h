// Pieces and their ids, both ways. Ids need not be dense; what is stored grows with the entries, never
// with the largest id. Immutable and thread-safe after building.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/json_view.h"
#include "text/tokenizer_json.h"

namespace headwater {

class Vocabulary {
 public:
  Vocabulary() = default;
  explicit Vocabulary(const JsonView& object);  // {"piece": id, …}; throws FormatError
  // The "vocab" of a model: what was read beforehand if there is any, else the object.
  Vocabulary(const JsonView& model, Entries* read);
  explicit Vocabulary(Entries entries);  // a later duplicate wins
  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;
  Vocabulary(Vocabulary&&) = default;
  Vocabulary& operator=(Vocabulary&&) = default;

  std::optional<int> find(std::string_view piece) const;
  std::optional<std::string_view> piece(int id) const;  // stays valid as long as the vocabulary
  std::size_t size() const { return entries_.size() - shadowed_; }
  std::size_t longest() const { return longest_; }  // bytes of the longest piece

 private:
  void build();

  Entries entries_;
  std::vector<std::uint32_t> table_;  // open addressing by hash of the piece: 1 + entry, 0 is free
  std::vector<std::uint32_t> dense_;  // id → 1 + entry, as far as ids are dense
  std::unordered_map<int, std::uint32_t> sparse_;
  std::size_t shadowed_ = 0, longest_ = 0;
};

}  // namespace headwater
