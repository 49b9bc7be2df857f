// Tokens added to the model's vocabulary ("[MASK]", "<|im_start|>"): found in the text before anything
// else sees it, whole, whatever the model would make of them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/normalizer.h"
#include "text/piece_trie.h"
#include "text/pieces.h"
#include "text/token_model.h"

namespace headwater {

struct AddedToken {
  std::string content;
  bool single_word = false;  // only where no word character touches it
  bool lstrip = false;       // takes the spaces before it along
  bool rstrip = false;
  bool normalized = true;  // looked for in the normalised text, in its normalised form
  bool special = false;    // left out by decode(…, skip_special_tokens)
};

AddedToken added_token_from(const JsonView& description);  // throws FormatError

class AddedTokens {
 public:
  // A token the model has keeps the model's id; others count on from the model's size. A later token of
  // the same content replaces the earlier one. `normalizer` may be null.
  void add(const std::vector<AddedToken>& tokens, const TokenModel& model, const Normalizer* normalizer);

  // Cuts out tokens that are not normalised, normalises the rest and cuts out the others.
  Pieces extract(std::string_view text, const Normalizer* normalizer) const;

  std::optional<int> id_of(std::string_view content) const;
  const AddedToken* token(int id) const;    // null: not an added token
  std::string_view spelling(int id) const;  // the form it is written out in: normalised, if it is
  bool is_special(std::string_view spelling) const;
  std::size_t beyond(const TokenModel& model) const;  // how many the model does not have
  const std::map<int, AddedToken>& all() const { return tokens_; }

 private:
  struct Found {
    std::size_t begin, end;
    int id;  // −1: text in between
  };
  std::vector<Found> find(std::string_view text, const PieceTrie& trie) const;
  void rebuild();

  std::map<int, AddedToken> tokens_;
  std::unordered_map<std::string, int> ids_;
  std::unordered_map<int, std::string> normalized_forms_;
  std::unordered_map<std::string, bool> special_;
  PieceTrie raw_, normalized_;
};

}  // namespace headwater
