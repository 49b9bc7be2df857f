// A trie over bytes that finds all pieces a text begins with, shortest first.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace headwater {

class PieceTrie {
 public:
  PieceTrie() = default;
  // Pieces and their ids; the empty piece is left out, of equal pieces one stays.
  explicit PieceTrie(std::vector<std::pair<std::string_view, int>> pieces);

  // Calls found(length, id) for every piece that `text` begins with.
  template <class F>
  void prefixes(std::string_view text, F found) const {
    if (nodes_.empty()) return;
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      node = child(node, static_cast<unsigned char>(text[i]));
      if (node == 0) return;
      if (nodes_[node].id >= 0) found(i + 1, nodes_[node].id);
    }
  }

 private:
  struct Node {
    std::uint32_t first = 0;  // children lie side by side, ordered by label
    std::uint16_t count = 0;
    unsigned char label = 0;
    int id = -1;
  };
  std::uint32_t child(std::uint32_t node, unsigned char label) const;  // 0: none

  std::vector<Node> nodes_;  // the root first
};

}  // namespace headwater
