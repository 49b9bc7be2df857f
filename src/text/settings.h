// What the files beside tokenizer.json say: tokenizer_config.json, special_tokens_map.json, config.json.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <headwater/tensor.h>

#include "text/added_tokens.h"

namespace headwater {

struct TokenizerSettings {
  std::optional<Index> model_max_length;
  std::map<std::string, AddedToken> roles;  // "mask_token" → the token
  std::vector<AddedToken> added;            // added_tokens_decoder, by id
  bool truncate_left = false;
  bool add_bos = false, add_eos = false;
  std::string tokenizer_class, model_type;
  Json config = Json::object();  // tokenizer_config.json as it is
};

// Missing files are empty ones; throws FormatError for broken ones.
TokenizerSettings read_settings(const std::string& folder);

}  // namespace headwater
