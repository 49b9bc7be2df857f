#include "text/piece_trie.h"

#include <algorithm>

namespace headwater {

PieceTrie::PieceTrie(std::vector<std::pair<std::string_view, int>> pieces) {
  std::erase_if(pieces, [](const auto& p) { return p.first.empty(); });
  std::sort(pieces.begin(), pieces.end());
  // A node is made of the pieces [begin, end) that share its first `depth` bytes.
  struct Work {
    std::size_t begin, end, depth;
    std::uint32_t node;
  };
  nodes_.emplace_back();
  std::vector<Work> work{{0, pieces.size(), 0, 0}};
  while (!work.empty()) {
    const Work w = work.back();
    work.pop_back();
    std::size_t at = w.begin;
    for (; at < w.end && pieces[at].first.size() == w.depth; ++at) nodes_[w.node].id = pieces[at].second;
    nodes_[w.node].first = static_cast<std::uint32_t>(nodes_.size());
    while (at < w.end) {
      const char label = pieces[at].first[w.depth];
      std::size_t end = at;
      while (end < w.end && pieces[end].first[w.depth] == label) ++end;
      ++nodes_[w.node].count;
      work.push_back({at, end, w.depth + 1, static_cast<std::uint32_t>(nodes_.size())});
      nodes_.push_back({0, 0, static_cast<unsigned char>(label), -1});
      at = end;
    }
  }
}

std::uint32_t PieceTrie::child(std::uint32_t node, unsigned char label) const {
  const auto first = nodes_.begin() + nodes_[node].first;
  const auto last = first + nodes_[node].count;
  const auto found =
      std::lower_bound(first, last, label, [](const Node& n, unsigned char l) { return n.label < l; });
  if (found == last || found->label != label) return 0;
  return static_cast<std::uint32_t>(found - nodes_.begin());
}

}  // namespace headwater
