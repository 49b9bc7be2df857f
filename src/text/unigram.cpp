// Unigram language model (Kudo 2018): of all ways to cut a word into pieces, the one with the greatest
// sum of log probabilities, found by the Viterbi recursion
//
//   best[e] = max over pieces w = word[s, e) of best[s] + score(w),   earliest s on a tie
//
// A tie is one by the numbers of tokenizer.json, read to the nearest double. The tokenizers package reads some of them one
// unit in the last place apart, and so breaks a few ties otherwise, in runs of one character.
//
// A character that is no piece may stand as unknown with the score min(scores) − 10. Neighbouring
// unknowns become one token, or the tokens "<0xNN>" of their bytes (byte_fallback).
#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/json.h"
#include "base/utf8.h"
#include "text/piece_trie.h"
#include "text/token_model.h"
#include "text/vocabulary.h"

namespace headwater {
namespace {

constexpr double unknown_penalty = 10.0;

Entries read_pieces(const JsonView& list) {
  Entries pieces;
  int id = 0;
  if (!list.json().is_array()) list.fail("an array of [piece, score]");
  pieces.reserve(list.json().size());
  for (const Json& entry : list.json()) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number())
      JsonView(entry, fmt::format("{}[{}]", list.where(), id)).fail("[piece, score]");
    pieces.emplace_back(entry[0].get<std::string>(), id++);
  }
  return pieces;
}

struct Node {
  double score = 0;
  std::size_t from = 0;
  int id = -1;  // −1: not reached
};

class Unigram final : public TokenModel {
 public:
  explicit Unigram(const JsonView& d)
      : vocabulary_(read_pieces(d.at("vocab"))),
        byte_fallback_(d.boolean_or("byte_fallback", false)),
        where_(d.where()) {
    const auto& list = d.at("vocab").json();
    std::vector<std::pair<std::string_view, int>> entries;
    double least = std::numeric_limits<double>::infinity();
    for (const Json& entry : list) {
      scores_.push_back(entry[1].get<double>());
      least = std::min(least, scores_.back());
      const std::string_view piece = entry[0].get_ref<const std::string&>();
      entries.emplace_back(piece, *vocabulary_.find(piece));
    }
    trie_ = PieceTrie(std::move(entries));
    unknown_score_ = least - unknown_penalty;
    if (const auto unknown = d.find("unk_id")) {
      unknown_ = static_cast<int>(unknown->integer(0, INT32_MAX));
      if (static_cast<std::size_t>(*unknown_) >= scores_.size())
        unknown->fail(fmt::format("an id below the {} of the vocabulary", scores_.size()));
    }
    if (byte_fallback_)
      for (int b = 0; b < 256; ++b) bytes_.push_back(vocabulary_.find(fmt::format("<0x{:02X}>", b)));
  }

  void tokenize(std::string_view word, std::vector<ModelToken>& out) const override {
    const auto best = best_paths(word);
    std::vector<std::pair<std::size_t, std::size_t>> parts;  // from the end
    bool after_unknown = false;
    for (std::size_t end = word.size(); end > 0; end = best[end].from) {
      const bool unknown = best[end].id == unknown_;
      if (unknown && after_unknown) {
        parts.back().first = best[end].from;
      } else {
        parts.emplace_back(best[end].from, end);
      }
      after_unknown = unknown;
    }
    std::for_each(parts.rbegin(), parts.rend(),
                  [&](const auto& part) { add(word, part.first, part.second, out); });
  }

  std::optional<int> id_of(std::string_view piece) const override { return vocabulary_.find(piece); }
  std::optional<std::string_view> piece_of(int id) const override { return vocabulary_.piece(id); }
  std::size_t size() const override { return scores_.size(); }
  std::string_view kind() const override { return "Unigram"; }

 private:
  int unknown_id() const {
    if (!unknown_)
      throw FormatError(fmt::format(
          "{}.unk_id: expected an id, since the text has characters outside the vocabulary", where_));
    return *unknown_;
  }

  std::vector<Node> best_paths(std::string_view word) const {
    std::vector<Node> best(word.size() + 1);
    const auto offer = [&](std::size_t from, std::size_t to, double score, int id) {
      Node& node = best[to];
      if (node.id >= 0 && !(score > node.score)) return;
      node = {score, from, id};
    };
    for (std::size_t begin = 0; begin < word.size();) {
      std::size_t next = begin;
      next_code_point(word, next);
      bool single = false;
      const double here = best[begin].score;
      trie_.prefixes(word.substr(begin), [&](std::size_t length, int id) {
        offer(begin, begin + length, here + scores_[static_cast<std::size_t>(id)], id);
        single = single || begin + length == next;
      });
      if (!single) offer(begin, next, here + unknown_score_, unknown_id());
      begin = next;
    }
    return best;
  }

  void add(std::string_view word, std::size_t begin, std::size_t end, std::vector<ModelToken>& out) const {
    const std::string_view part = word.substr(begin, end - begin);
    if (const auto id = vocabulary_.find(part)) {
      out.push_back({*id, begin, end, part});
      return;
    }
    const auto known = [&](char c) { return bytes_[static_cast<unsigned char>(c)].has_value(); };
    if (byte_fallback_ && std::all_of(part.begin(), part.end(), known)) {
      for (const char c : part) {
        const int id = *bytes_[static_cast<unsigned char>(c)];
        out.push_back({id, begin, end, *vocabulary_.piece(id)});
      }
      return;
    }
    out.push_back({unknown_id(), begin, end, part});
  }

  Vocabulary vocabulary_;
  std::vector<double> scores_;
  PieceTrie trie_;
  double unknown_score_ = 0;
  std::optional<int> unknown_;
  bool byte_fallback_;
  std::string where_;
  std::vector<std::optional<int>> bytes_;  // "<0xNN>"
};

}  // namespace

std::unique_ptr<const TokenModel> make_unigram(const JsonView& description) {
  return std::make_unique<Unigram>(description);
}

}  // namespace headwater
