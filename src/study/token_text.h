// Token text: how a token of a vocabulary is shown to a person, and which tokens a text that a person gives
// may be at a place of an input. Most words stand in a vocabulary twice, with the space before them and
// without ("▁was" and "was", "Ġwas" and "was", "ing" and "##ing"), and may be shown alike.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace headwater {

// A token's text as predictions print it: decoded alone; its piece where nothing is left.
std::string token_label(const Tokenizer& tokenizer, int id);
// Without the one space that many tokens begin with.
std::string_view without_space(std::string_view text);
// All tokens below `vocabulary` that are shown as this text, whatever their space.
std::vector<int> tokens_shown_as(const Tokenizer& tokenizer, int vocabulary, std::string_view text);

// A place an output is for: what comes after the token at `position`, or what stands in its place.
struct Gap {
  enum class Kind { After, Instead };
  const Encoding& encoding;
  int position;
  Kind kind;
};

// Tokens in turn that spell a text at a gap.
using Reading = std::vector<int>;

// All readings of a text: every token of the vocabulary whose text is the given one, alone or in that place;
// and what the tokenizer makes of the text in that place, with a space before it and without. A text that
// begins with a space is read with it only, and a piece whose spelling is not its text ("▁was") is that
// token. Readings that need the unknown token are none.
std::vector<Reading> readings_of(const Tokenizer& tokenizer, int vocabulary, const Gap& gap,
                                 const std::string& text);

}  // namespace headwater
