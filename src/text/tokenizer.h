// Tokenizer: text to token ids and back, as Hugging Face's tokenizer.json defines it (or the older
// vocab.txt, vocab.json + merges.txt). Every token knows the bytes of the original text it stands for.
// Immutable and thread-safe after loading.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <headwater/tensor.h>

namespace headwater {

struct Token {
  int id = 0;
  std::string piece;  // as the vocabulary spells it ("##ing", "Ġthe")
  Index begin = 0;    // byte span in the original text; begin == end for tokens without one
  Index end = 0;
  int word = -1;         // index of the pre-token ("word") it is part of, −1 for special tokens
  int segment = 0;       // 0: text, 1: pair
  int type_id = 0;       // for families that embed it
  bool special = false;  // added by the tokenizer's template ([CLS], </s>, …)
};

struct Encoding {
  std::string text, pair;
  bool has_pair = false;
  std::vector<Token> tokens;
  bool truncated = false;

  std::vector<int> ids() const;
  std::vector<int> type_ids() const;
  std::string_view source(const Token& token) const;  // the original substring
};

struct EncodeOptions {
  bool add_special_tokens = true;
  bool truncate = false;  // cut to max_length instead of throwing
  Index max_length = 0;   // 0: the tokenizer's own limit (model_max_length), if it has one
};

class Tokenizer {
 public:
  // Reads tokenizer.json (+ tokenizer_config.json, special_tokens_map.json), or the older files.
  // Throws FormatError for a broken file, Unsupported for a component we do not have.
  static std::shared_ptr<const Tokenizer> load(const std::string& folder);
  // From the content of a tokenizer.json; `where` names it in messages.
  static std::shared_ptr<const Tokenizer> from_json(std::string_view text, const std::string& where);

  virtual ~Tokenizer() = default;

  // Throws InputError on invalid UTF-8, and on a text longer than the limit unless options.truncate.
  virtual Encoding encode(const std::string& text, const std::optional<std::string>& pair = {},
                          const EncodeOptions& options = {}) const = 0;
  virtual std::string decode(const std::vector<int>& ids, bool skip_special_tokens) const = 0;

  virtual int vocabulary_size() const = 0;  // added tokens included
  virtual std::optional<int> id_of(std::string_view piece) const = 0;
  virtual std::string piece_of(int id) const = 0;  // "" if there is none
  virtual std::optional<Index> model_max_length() const = 0;
  // "mask_token", "cls_token", "sep_token", "pad_token", "bos_token", "eos_token", "unk_token"
  virtual std::optional<int> special_id(std::string_view role) const = 0;
  virtual std::string_view kind() const = 0;  // "WordPiece", "BPE", "Unigram", "WordLevel"
  virtual std::string hash() const = 0;       // SHA-256 of the file(s) it came from
};

}  // namespace headwater
