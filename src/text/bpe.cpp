// Byte-pair encoding (Sennrich et al. 2016): a word starts as its characters; of all neighbours that have
// a merge, the pair with the lowest rank (leftmost on a tie) becomes one symbol, until none is left.
// Symbols form a linked list and candidate merges a heap, so a word of n characters costs O(n log n).
//
// A character outside the vocabulary becomes the tokens "<0xNN>" of its bytes (byte_fallback), else the
// unknown token, else nothing.
#include <algorithm>
#include <queue>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/utf8.h"
#include "text/merge_table.h"
#include "text/token_model.h"
#include "text/vocabulary.h"

namespace headwater {
namespace {

struct Symbol {
  int id;
  int previous, next;  // −1: none
  std::size_t length;  // bytes of the word; 0: merged into its left neighbour
};

struct Candidate {
  int rank;
  int position;
  int id;  // of the merged symbol
  bool operator>(const Candidate& other) const {
    return rank != other.rank ? rank > other.rank : position > other.position;
  }
};

class Bpe final : public TokenModel {
 public:
  Bpe(const JsonView& d, Entries* vocabulary)
      : vocabulary_(d, vocabulary),
        unknown_(optional_string(d, "unk_token")),
        prefix_(d.string_or("continuing_subword_prefix", "")),
        suffix_(d.string_or("end_of_word_suffix", "")),
        fuse_unknown_(d.boolean_or("fuse_unk", false)),
        byte_fallback_(d.boolean_or("byte_fallback", false)),
        ignore_merges_(d.boolean_or("ignore_merges", false)),
        where_(d.where()),
        merges_(d.at("merges"), vocabulary_, prefix_.size()) {
    if (const auto dropout = d.find("dropout"); dropout && dropout->number() != 0)
      throw Unsupported(fmt::format(
          "{}: expected null or 0, found {}; tokens drawn at random cannot be explained, set it to null",
          dropout->where(), dropout->number()));
    if (byte_fallback_)
      for (int b = 0; b < 256; ++b) bytes_.push_back(vocabulary_.find(fmt::format("<0x{:02X}>", b)));
  }

  void tokenize(std::string_view word, std::vector<ModelToken>& out) const override {
    if (ignore_merges_) {
      if (const auto id = vocabulary_.find(word)) {
        out.push_back({*id, 0, word.size(), word});
        return;
      }
    }
    std::vector<Symbol> symbols = characters(word);
    merge(symbols);
    std::size_t at = 0;
    for (const Symbol& s : symbols) {
      if (s.length == 0) continue;
      out.push_back({s.id, at, at + s.length, *vocabulary_.piece(s.id)});
      at += s.length;
    }
  }

  std::optional<int> id_of(std::string_view piece) const override { return vocabulary_.find(piece); }
  std::optional<std::string_view> piece_of(int id) const override { return vocabulary_.piece(id); }
  std::size_t size() const override { return vocabulary_.size(); }
  std::string_view kind() const override { return "BPE"; }

 private:
  static std::optional<std::string> optional_string(const JsonView& d, const std::string& key) {
    const auto found = d.find(key);
    return found ? std::optional(found->string()) : std::nullopt;
  }

  static void add(std::vector<Symbol>& symbols, int id, std::size_t length) {
    const int index = static_cast<int>(symbols.size());
    if (index > 0) symbols.back().next = index;
    symbols.push_back({id, index - 1, -1, length});
  }

  // Adds the bytes of `piece` if all of them are known.
  bool add_bytes(std::vector<Symbol>& symbols, std::string_view piece) const {
    const auto known = [&](char c) { return bytes_[static_cast<unsigned char>(c)].has_value(); };
    if (!byte_fallback_ || !std::all_of(piece.begin(), piece.end(), known)) return false;
    for (const char c : piece) add(symbols, *bytes_[static_cast<unsigned char>(c)], 1);
    return true;
  }

  int unknown_id() const {
    const auto id = vocabulary_.find(*unknown_);
    if (!id)
      throw FormatError(
          fmt::format("{}.unk_token: expected a piece of the vocabulary, found \"{}\"", where_, *unknown_));
    return *id;
  }

  std::vector<Symbol> characters(std::string_view word) const {
    std::vector<Symbol> symbols;
    symbols.reserve(word.size());
    std::size_t unknown_length = 0;  // of an unknown token not yet added
    std::string decorated;
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t begin = at;
      next_code_point(word, at);
      std::string_view piece = word.substr(begin, at - begin);
      const std::size_t length = piece.size();
      const bool first = begin == 0, last = at == word.size();
      if ((!first && !prefix_.empty()) || (last && !suffix_.empty())) {
        decorated = first ? "" : prefix_;
        decorated += piece;
        if (last) decorated += suffix_;
        piece = decorated;
      }
      if (const auto id = vocabulary_.find(piece)) {
        if (unknown_length > 0) add(symbols, unknown_id(), unknown_length);
        unknown_length = 0;
        add(symbols, *id, length);
        continue;
      }
      // An unknown token that waits is not added before bytes: so the reference orders them.
      if (add_bytes(symbols, piece) || !unknown_) continue;
      if (unknown_length > 0 && !fuse_unknown_) {
        add(symbols, unknown_id(), unknown_length);
        unknown_length = 0;
      }
      unknown_length += length;
    }
    if (unknown_length > 0) add(symbols, unknown_id(), unknown_length);
    return symbols;
  }

  void merge(std::vector<Symbol>& symbols) const {
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
    const auto consider = [&](int left) {
      const Symbol& s = symbols[static_cast<std::size_t>(left)];
      if (s.next < 0) return;
      if (const auto* m = merges_.find(s.id, symbols[static_cast<std::size_t>(s.next)].id))
        queue.push({m->rank, left, m->id});
    };
    for (int i = 0; i + 1 < static_cast<int>(symbols.size()); ++i) consider(i);
    while (!queue.empty()) {
      const Candidate top = queue.top();
      queue.pop();
      Symbol& left = symbols[static_cast<std::size_t>(top.position)];
      if (left.length == 0 || left.next < 0) continue;
      Symbol& right = symbols[static_cast<std::size_t>(left.next)];
      const auto* m = merges_.find(left.id, right.id);
      if (m == nullptr || m->id != top.id) continue;  // a neighbour has changed meanwhile
      left.id = top.id;
      left.length += right.length;
      left.next = right.next;
      right.length = 0;
      if (left.next >= 0) symbols[static_cast<std::size_t>(left.next)].previous = top.position;
      if (left.previous >= 0) consider(left.previous);
      consider(top.position);
    }
  }

  Vocabulary vocabulary_;
  std::optional<std::string> unknown_;
  std::string prefix_, suffix_;
  bool fuse_unknown_, byte_fallback_, ignore_merges_;
  std::string where_;
  std::vector<std::optional<int>> bytes_;  // "<0xNN>"
  MergeTable merges_;
};

}  // namespace

std::unique_ptr<const TokenModel> make_bpe(const JsonView& description, Entries* vocabulary) {
  return std::make_unique<Bpe>(description, vocabulary);
}

}  // namespace headwater
