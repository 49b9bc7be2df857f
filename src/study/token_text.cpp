// The text of a token in its place is what decoding adds: decode(a b) without its beginning decode(a), where
// a is the previous token. That is " was" for "▁was", "Ġwas" and WordPiece's "was", and "ing" for "##ing".
//
// The tokens of a text in its place are what encoding adds: the tokens of the input with the text appended,
// if they begin with those of the input. They do not if the text joins the last word.
#include "study/token_text.h"

#include <algorithm>
#include <optional>

#include "base/strings.h"

namespace headwater {

namespace {

// Whether a piece can decode to this text at all, which saves most of the decoding. Printable ASCII appears
// in a piece as it is, or as a byte "<0x41>". Otherwise lengths decide: a space takes up to three bytes of a
// piece, a byte of another character two, and markers such as "##" a few more.
bool may_spell(std::string_view piece, std::string_view text) {
  const std::string_view word = without_space(text);
  if (std::all_of(word.begin(), word.end(), [](char c) { return c > ' ' && c < 0x7f; }))
    return piece.find(word) != std::string_view::npos || piece.starts_with("<0x");
  return piece.size() + 2 >= text.size() && piece.size() <= 3 * text.size() + 8;
}

// The text that a token adds to that of the previous one.
std::string continued(const Tokenizer& tokenizer, std::optional<int> before, int id) {
  if (!before) return tokenizer.decode({id}, false);
  const std::string alone = tokenizer.decode({*before}, false);
  const std::string both = tokenizer.decode({*before, id}, false);
  return both.starts_with(alone) ? both.substr(alone.size()) : tokenizer.decode({id}, false);
}

std::optional<int> token_before(const Gap& gap) {
  const int before = gap.kind == Gap::Kind::After ? gap.position : gap.position - 1;
  if (before < 0) return {};
  return gap.encoding.tokens[static_cast<std::size_t>(before)].id;
}

std::vector<int> ids_of(const Encoding& encoding) {
  std::vector<int> ids;
  for (const Token& token : encoding.tokens)
    if (!token.special) ids.push_back(token.id);
  return ids;
}

// The tokens that are added when `more` is written after the gap's position; none if this changes the tokens
// before.
std::optional<Reading> added_by(const Tokenizer& tokenizer, const Encoding& before, const std::string& more) {
  const std::vector<int> own = ids_of(before);
  const std::vector<int> all =
      ids_of(tokenizer.encode(before.text + more, {}, {.max_length = Index{1} << 30}));
  if (all.size() <= own.size() || !std::equal(own.begin(), own.end(), all.begin())) return {};
  return Reading(all.begin() + static_cast<std::ptrdiff_t>(own.size()), all.end());
}

// The input up to the gap's position, its text included.
Encoding up_to(const Gap& gap) {
  Encoding before = gap.encoding;
  const auto kept = static_cast<std::size_t>(gap.position) + 1;
  const bool cut = std::any_of(before.tokens.begin() + gap.position + 1, before.tokens.end(),
                               [](const Token& token) { return !token.special; });
  before.tokens.resize(kept);
  Index end = 0;
  for (const Token& token : before.tokens) end = std::max(end, token.end);
  if (cut) before.text.resize(static_cast<std::size_t>(end));
  return before;
}

// With a space before it, and without if that is another text.
std::vector<std::string> forms_of(const std::string& text, const std::string& before) {
  if (text.starts_with(' ') || before.empty() || is_ascii_space(before.back())) return {text};
  return {" " + text, text};
}

std::vector<Reading> encoded_readings(const Tokenizer& tokenizer, const Gap& gap, const std::string& text) {
  std::vector<Reading> readings;
  if (gap.kind == Gap::Kind::After && !gap.encoding.has_pair) {
    const Encoding before = up_to(gap);
    for (const std::string& form : forms_of(text, before.text))
      if (std::optional<Reading> added = added_by(tokenizer, before, form))
        readings.push_back(std::move(*added));
  }
  if (!readings.empty()) return readings;
  for (const std::string& form : forms_of(text, "."))
    readings.push_back(ids_of(tokenizer.encode(form, {}, {.add_special_tokens = false})));
  return readings;
}

}  // namespace

std::string token_label(const Tokenizer& tokenizer, int id) {
  const std::string text = tokenizer.decode({id}, false);
  return text.empty() ? tokenizer.piece_of(id) : text;
}

std::string_view without_space(std::string_view text) {
  return text.size() > 1 && text.front() == ' ' ? text.substr(1) : text;
}

std::vector<int> tokens_shown_as(const Tokenizer& tokenizer, int vocabulary, std::string_view text) {
  const std::string_view wanted = without_space(text);
  std::vector<int> ids;
  for (int id = 0; id < std::min(vocabulary, tokenizer.vocabulary_size()); ++id)
    if (may_spell(tokenizer.piece_of(id), wanted) && without_space(token_label(tokenizer, id)) == wanted)
      ids.push_back(id);
  return ids;
}

std::vector<Reading> readings_of(const Tokenizer& tokenizer, int vocabulary, const Gap& gap,
                                 const std::string& text) {
  const std::optional<int> before = token_before(gap);
  const bool spaced = text.size() > 1 && text.front() == ' ';
  const auto spells = [&](int id) {
    const std::string piece = tokenizer.piece_of(id);
    if (!may_spell(piece, text)) return false;
    if (spaced) return continued(tokenizer, before, id) == text;
    if (piece == text || without_space(token_label(tokenizer, id)) == text) return true;
    return piece.find(text) != std::string::npos && without_space(continued(tokenizer, before, id)) == text;
  };
  if (const std::optional<int> id = tokenizer.id_of(text);
      id && *id < vocabulary && without_space(continued(tokenizer, before, *id)) != text)
    return {{*id}};  // spelled as in the vocabulary: nobody writes "▁was" for another reason
  std::vector<Reading> readings;
  for (int id = 0; id < std::min(vocabulary, tokenizer.vocabulary_size()); ++id)
    if (spells(id)) readings.push_back({id});
  const std::vector<std::optional<int>> unknown{tokenizer.special_id("unk_token"), tokenizer.id_of("[UNK]"),
                                                tokenizer.id_of("<unk>")};
  for (Reading& reading : encoded_readings(tokenizer, gap, text)) {
    const bool spelt = !reading.empty() && std::all_of(reading.begin(), reading.end(), [&](int id) {
      return id < vocabulary && std::find(unknown.begin(), unknown.end(), id) == unknown.end();
    });
    if (spelt && std::find(readings.begin(), readings.end(), reading) == readings.end())
      readings.push_back(std::move(reading));
  }
  return readings;
}

}  // namespace headwater
