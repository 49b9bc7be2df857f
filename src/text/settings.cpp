#include "text/settings.h"

#include "base/files.h"
#include "base/json.h"

namespace headwater {
namespace {

constexpr const char* role_names[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                      "pad_token", "cls_token", "mask_token"};

// A role is a string or a token in full; a bare string is a special token that is never normalised.
AddedToken role_from(const JsonView& view) {
  AddedToken token;
  if (view.json().is_object()) {
    token = added_token_from(view);
  } else {
    token.content = view.string();
    token.normalized = false;
  }
  token.special = true;
  return token;
}

void read_roles(const JsonView& file, TokenizerSettings& settings) {
  for (const char* name : role_names)
    if (const auto role = file.find(name)) settings.roles.emplace(name, role_from(*role));
}

void read_config(const JsonView& file, TokenizerSettings& settings) {
  settings.config = file.object();
  settings.tokenizer_class = file.string_or("tokenizer_class", "");
  settings.add_bos = file.boolean_or("add_bos_token", false);
  settings.add_eos = file.boolean_or("add_eos_token", false);
  settings.truncate_left = file.string_or("truncation_side", "right") == "left";
  if (const auto limit = file.find("model_max_length")) {
    // "No limit" is written as 1e30.
    const double value = limit->number();
    if (value < 1) limit->fail("a length of at least 1");
    if (value < 1e9) settings.model_max_length = static_cast<Index>(value);
  }
  if (const auto added = file.find("added_tokens_decoder")) {
    std::map<std::int64_t, AddedToken> by_id;
    for (const auto& [id, unused] : added->object().items()) {
      const bool digits =
          !id.empty() && id.size() < 10 && id.find_first_not_of("0123456789") == std::string::npos;
      if (!digits) added->at(id).fail("a token id as key");
      by_id[std::stoll(id)] = added_token_from(added->at(id));
    }
    for (auto& [id, token] : by_id) settings.added.push_back(std::move(token));
  }
}

}  // namespace

TokenizerSettings read_settings(const std::string& folder) {
  TokenizerSettings settings;
  const auto read = [&](const std::string& name, const auto& use) {
    const std::string path = folder + "/" + name;
    if (!file_exists(path)) return;
    const Json json = read_json_file(path);
    use(JsonView(json, path));
  };
  read("tokenizer_config.json", [&](const JsonView& file) {
    read_config(file, settings);
    read_roles(file, settings);
  });
  read("special_tokens_map.json", [&](const JsonView& file) { read_roles(file, settings); });
  read("config.json", [&](const JsonView& file) { settings.model_type = file.string_or("model_type", ""); });
  return settings;
}

}  // namespace headwater
