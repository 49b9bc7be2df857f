// WordLevel: one id per word, and one for all words it does not know.
#include <fmt/format.h>
#include <headwater/error.h>

#include "text/token_model.h"
#include "text/vocabulary.h"

namespace headwater {
namespace {

class WordLevel final : public TokenModel {
 public:
  WordLevel(const JsonView& d, Entries* vocabulary)
      : vocabulary_(d, vocabulary), unknown_(d.at("unk_token").string()), where_(d.where()) {}

  void tokenize(std::string_view word, std::vector<ModelToken>& out) const override {
    if (const auto id = vocabulary_.find(word)) {
      out.push_back({*id, 0, word.size(), word});
      return;
    }
    const auto id = vocabulary_.find(unknown_);
    if (!id)
      throw FormatError(
          fmt::format("{}.unk_token: expected a piece of the vocabulary, found \"{}\"", where_, unknown_));
    out.push_back({*id, 0, word.size(), unknown_});
  }

  std::optional<int> id_of(std::string_view piece) const override { return vocabulary_.find(piece); }
  std::optional<std::string_view> piece_of(int id) const override { return vocabulary_.piece(id); }
  std::size_t size() const override { return vocabulary_.size(); }
  std::string_view kind() const override { return "WordLevel"; }

 private:
  Vocabulary vocabulary_;
  std::string unknown_;
  std::string where_;
};

}  // namespace

std::unique_ptr<const TokenModel> make_word_level(const JsonView& description, Entries* vocabulary) {
  return std::make_unique<WordLevel>(description, vocabulary);
}

}  // namespace headwater
