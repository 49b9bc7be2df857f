#include "text/pieces.h"

#include <algorithm>

#include "base/utf8.h"

namespace headwater {
namespace {

std::vector<Match> split_by_predicate(std::string_view text, bool (*is_delimiter)(char32_t)) {
  std::vector<Match> matches;
  std::size_t covered = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (!is_delimiter(next_code_point(text, at))) continue;
    if (covered < begin) matches.push_back({covered, begin, false});
    matches.push_back({begin, at, true});
    covered = at;
  }
  if (covered < text.size()) matches.push_back({covered, text.size(), false});
  return matches;
}

// Joins a match to what was put down before it, unless that was a match too.
std::vector<Match> merged(const std::vector<Match>& matches) {
  std::vector<Match> out;
  bool previous = false;
  for (const Match& m : matches) {
    if (m.matched && !previous && !out.empty()) {
      out.back().begin = std::min(out.back().begin, m.begin);
      out.back().end = std::max(out.back().end, m.end);
    } else {
      out.push_back(m);
    }
    previous = m.matched;
  }
  return out;
}

}  // namespace

std::vector<Match> ranges_by_behavior(const std::vector<Match>& matches, SplitBehavior behavior) {
  std::vector<Match> out;
  switch (behavior) {
    case SplitBehavior::Isolated:
      return matches;
    case SplitBehavior::Removed:
      std::copy_if(matches.begin(), matches.end(), std::back_inserter(out),
                   [](const Match& m) { return !m.matched; });
      return out;
    case SplitBehavior::MergedWithPrevious:
      return merged(matches);
    case SplitBehavior::MergedWithNext:
      out.assign(matches.rbegin(), matches.rend());
      out = merged(out);
      std::reverse(out.begin(), out.end());
      return out;
    case SplitBehavior::Contiguous:
      for (const Match& m : matches) {
        if (!out.empty() && out.back().matched == m.matched) {
          out.back().end = m.end;
        } else {
          out.push_back(m);
        }
      }
      return out;
  }
  return out;
}

void Pieces::split(SplitBehavior behavior, const std::function<std::vector<Match>(std::string_view)>& find) {
  std::vector<Piece> pieces;
  pieces.reserve(list.size());
  for (const Piece& piece : list) {
    if (piece.token >= 0) {
      pieces.push_back(piece);
      continue;
    }
    for (const Match& range : ranges_by_behavior(find(view(piece)), behavior))
      if (range.begin < range.end) pieces.push_back({piece.begin + range.begin, piece.begin + range.end});
  }
  list = std::move(pieces);
}

void Pieces::split_characters(SplitBehavior behavior, bool (*is_delimiter)(char32_t)) {
  split(behavior, [=](std::string_view text) { return split_by_predicate(text, is_delimiter); });
}

void Pieces::rewrite(const std::function<void(const Piece&, AlignedText&)>& rewrite) {
  AlignedText next;
  next.reserve(buffer.text.size() * 5 / 4);
  for (Piece& piece : list) {
    const std::size_t begin = next.text.size();
    if (piece.token >= 0) {
      next.append(buffer, piece.begin, piece.end);
    } else {
      rewrite(piece, next);
    }
    piece.begin = begin;
    piece.end = next.text.size();
  }
  buffer = std::move(next);
  require_proportion(buffer);
  std::erase_if(list, [](const Piece& p) { return p.begin == p.end; });
}

}  // namespace headwater
