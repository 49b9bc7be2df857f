// A tokenizer.json in memory. Nearly all of such a file is the model's vocabulary, so that is read straight
// into a list; a general JSON object of 30,000 keys takes twice as long as everything else together.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace headwater {

using Entries = std::vector<std::pair<std::string, int>>;  // pieces and their ids, in the order of the file

struct TokenizerJson {
  Json json;                          // without model.vocab, if that is in `vocabulary`
  std::optional<Entries> vocabulary;  // model.vocab, if it is an object of pieces and valid ids
};

// Throws FormatError for text that is not JSON; `where` names it.
TokenizerJson parse_tokenizer_json(std::string_view text, const std::string& where);

}  // namespace headwater
