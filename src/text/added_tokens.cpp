#include "text/added_tokens.h"

#include <algorithm>

#include "base/utf8.h"
#include "text/unicode.h"

namespace headwater {
namespace {

// The code point that ends just before `at`; the text must be valid and `at` > 0.
char32_t code_point_before(std::string_view text, std::size_t& at) {
  do --at;
  while ((static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U);
  std::size_t unused = at;
  return next_code_point(text, unused);
}

bool word_before(std::string_view text, std::size_t at) {
  return at > 0 && is_word(code_point_before(text, at));
}

bool word_after(std::string_view text, std::size_t at) {
  return at < text.size() && is_word(next_code_point(text, at));
}

std::size_t skip_spaces_before(std::string_view text, std::size_t at) {
  while (at > 0) {
    std::size_t before = at;
    if (!is_space(code_point_before(text, before))) break;
    at = before;
  }
  return at;
}

std::size_t skip_spaces_after(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    std::size_t after = at;
    if (!is_space(next_code_point(text, after))) break;
    at = after;
  }
  return at;
}

}  // namespace

AddedToken added_token_from(const JsonView& d) {
  AddedToken token;
  token.content = d.at("content").string();
  token.special = d.boolean_or("special", false);
  token.single_word = d.boolean_or("single_word", false);
  token.lstrip = d.boolean_or("lstrip", false);
  token.rstrip = d.boolean_or("rstrip", false);
  token.normalized = d.boolean_or("normalized", !token.special);
  return token;
}

void AddedTokens::add(const std::vector<AddedToken>& tokens, const TokenModel& model,
                      const Normalizer* normalizer) {
  int next = static_cast<int>(model.size());
  if (!tokens_.empty()) next = std::max(next, tokens_.rbegin()->first + 1);
  for (const AddedToken& token : tokens) {
    if (token.content.empty()) continue;
    auto id = id_of(token.content);
    if (!id) id = model.id_of(token.content);
    if (!id) id = next++;
    if (token.normalized && normalizer != nullptr) {
      AlignedText text = aligned(token.content);
      normalizer->normalize(text);
      if (text.text != token.content) normalized_forms_[*id] = text.text;
    }
    ids_[token.content] = *id;
    if (token.special) special_[token.content] = true;
    tokens_[*id] = token;
  }
  rebuild();
}

void AddedTokens::rebuild() {
  std::vector<std::pair<std::string_view, int>> raw, normalized;
  for (const auto& [id, token] : tokens_) {
    if (!token.normalized) {
      raw.emplace_back(token.content, id);
      continue;
    }
    const auto form = normalized_forms_.find(id);
    normalized.emplace_back(form == normalized_forms_.end() ? token.content : form->second, id);
  }
  raw_ = PieceTrie(std::move(raw));
  normalized_ = PieceTrie(std::move(normalized));
}

std::vector<AddedTokens::Found> AddedTokens::find(std::string_view text, const PieceTrie& trie) const {
  std::vector<Found> found;
  std::size_t covered = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = 0;
    int id = -1;
    trie.prefixes(text.substr(at), [&](std::size_t l, int i) {
      length = l;
      id = i;
    });
    if (id < 0) {
      ++at;
      continue;
    }
    std::size_t begin = at, end = at + length;
    at = end;
    const AddedToken& token = tokens_.at(id);
    if (token.single_word && (word_before(text, begin) || word_after(text, end))) continue;
    if (token.lstrip) begin = std::max(skip_spaces_before(text, begin), covered);
    if (token.rstrip) end = skip_spaces_after(text, end);
    if (covered < begin) found.push_back({covered, begin, -1});
    found.push_back({begin, end, id});
    covered = end;
  }
  if (covered < text.size()) found.push_back({covered, text.size(), -1});
  return found;
}

Pieces AddedTokens::extract(std::string_view text, const Normalizer* normalizer) const {
  Pieces pieces;
  pieces.buffer.reserve(text.size() + text.size() / 4);
  const auto put = [&](const AlignedText& from, const Found& part) {
    if (part.begin >= part.end) return;
    const std::size_t begin = pieces.buffer.text.size();
    pieces.buffer.append(from, part.begin, part.end);
    pieces.list.push_back({begin, pieces.buffer.text.size(), part.id});
  };
  for (const Found& outer : find(text, raw_)) {
    AlignedText part = aligned(text.substr(outer.begin, outer.end - outer.begin), outer.begin);
    if (outer.id >= 0) {
      put(part, {0, part.text.size(), outer.id});
      continue;
    }
    if (normalizer != nullptr) normalizer->normalize(part);
    for (const Found& inner : find(part.text, normalized_)) put(part, inner);
  }
  return pieces;
}

std::optional<int> AddedTokens::id_of(std::string_view content) const {
  const auto found = ids_.find(std::string(content));
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

const AddedToken* AddedTokens::token(int id) const {
  const auto found = tokens_.find(id);
  return found == tokens_.end() ? nullptr : &found->second;
}

std::string_view AddedTokens::spelling(int id) const {
  const auto form = normalized_forms_.find(id);
  return form == normalized_forms_.end() ? tokens_.at(id).content : form->second;
}

bool AddedTokens::is_special(std::string_view spelling) const {
  return special_.count(std::string(spelling)) > 0;
}

std::size_t AddedTokens::beyond(const TokenModel& model) const {
  return static_cast<std::size_t>(
      std::count_if(ids_.begin(), ids_.end(), [&](const auto& t) { return !model.id_of(t.first); }));
}

}  // namespace headwater
