// WordPiece: from the left, always the longest piece of the vocabulary; pieces inside a word carry a
// prefix ("##"). A word that cannot be covered, or is too long, is one unknown token.
#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

#include "text/token_model.h"
#include "text/vocabulary.h"

namespace headwater {
namespace {

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

class WordPiece final : public TokenModel {
 public:
  WordPiece(const JsonView& d, Entries* vocabulary)
      : vocabulary_(d, vocabulary),
        unknown_(d.at("unk_token").string()),
        prefix_(d.at("continuing_subword_prefix").string()),
        longest_word_(static_cast<std::size_t>(d.at("max_input_chars_per_word").integer(0, INT64_MAX))),
        where_(d.where()) {}

  void tokenize(std::string_view word, std::vector<ModelToken>& out) const override {
    const auto characters =
        std::count_if(word.begin(), word.end(), [](char c) { return !is_continuation(c); });
    const std::size_t before = out.size();
    if (static_cast<std::size_t>(characters) <= longest_word_ && cover(word, out)) return;
    out.resize(before);
    const auto id = vocabulary_.find(unknown_);
    if (!id)
      throw FormatError(
          fmt::format("{}.unk_token: expected a piece of the vocabulary, found \"{}\"", where_, unknown_));
    out.push_back({*id, 0, word.size(), unknown_});
  }

  std::optional<int> id_of(std::string_view piece) const override { return vocabulary_.find(piece); }
  std::optional<std::string_view> piece_of(int id) const override { return vocabulary_.piece(id); }
  std::size_t size() const override { return vocabulary_.size(); }
  std::string_view kind() const override { return "WordPiece"; }

 private:
  bool cover(std::string_view word, std::vector<ModelToken>& out) const {
    std::string candidate;
    for (std::size_t begin = 0; begin < word.size();) {
      const bool inside = begin > 0;
      std::size_t end = word.size();
      if (end - begin > vocabulary_.longest()) {  // no longer piece exists
        end = begin + vocabulary_.longest();
        while (end > begin && is_continuation(word[end])) --end;
      }
      if (inside) {
        candidate = prefix_;
        candidate.append(word, begin, end - begin);
      }
      std::optional<int> id;
      for (; end > begin; --end) {
        if (end < word.size() && is_continuation(word[end])) continue;
        std::string_view piece = word.substr(begin, end - begin);
        if (inside) piece = std::string_view(candidate).substr(0, prefix_.size() + end - begin);
        id = vocabulary_.find(piece);
        if (id) break;
      }
      if (!id) return false;
      out.push_back({*id, begin, end, *vocabulary_.piece(*id)});
      begin = end;
    }
    return true;
  }

  Vocabulary vocabulary_;
  std::string unknown_, prefix_;
  std::size_t longest_word_;
  std::string where_;
};

}  // namespace

std::unique_ptr<const TokenModel> make_wordpiece(const JsonView& description, Entries* vocabulary) {
  return std::make_unique<WordPiece>(description, vocabulary);
}

}  // namespace headwater
