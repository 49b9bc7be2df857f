// The model of a tokenizer: cuts one word into pieces of the vocabulary. Immutable, thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "text/json_view.h"
#include "text/tokenizer_json.h"

namespace headwater {

struct ModelToken {
  int id;
  std::size_t begin, end;  // bytes of the word
  std::string_view value;  // the piece, or the part of the word it stands for; lives as long as both
};

class TokenModel {
 public:
  virtual ~TokenModel() = default;
  // Appends the tokens of `word`, which is not empty. Throws FormatError where the model has no answer:
  // an unknown character and no unknown token.
  virtual void tokenize(std::string_view word, std::vector<ModelToken>& out) const = 0;
  virtual std::optional<int> id_of(std::string_view piece) const = 0;
  virtual std::optional<std::string_view> piece_of(int id) const = 0;
  virtual std::size_t size() const = 0;
  virtual std::string_view kind() const = 0;  // "WordPiece", "BPE", "Unigram", "WordLevel"
};

// From the "model" of a tokenizer.json. Files of early versions have no "type": it is then told from the
// other keys. `vocabulary`, if not null, stands for the "vocab" that is then missing, and is used up.
// Throws FormatError, or Unsupported for another kind.
std::unique_ptr<const TokenModel> make_token_model(const JsonView& description, Entries* vocabulary);

std::unique_ptr<const TokenModel> make_wordpiece(const JsonView& description, Entries* vocabulary);
std::unique_ptr<const TokenModel> make_word_level(const JsonView& description, Entries* vocabulary);
std::unique_ptr<const TokenModel> make_bpe(const JsonView& description, Entries* vocabulary);
std::unique_ptr<const TokenModel> make_unigram(const JsonView& description);

}  // namespace headwater
