// Token text: how a token of a vocabulary is shown to a person, and which tokens a given text may be at a
// place of an input. Most words stand in a vocabulary twice, with the space before them and without ("▁was"
// and "was", "Ġwas" and "was", "ing" and "##ing"), and may look the same.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace headwater {

// A token's text as predictions print it: decoded alone, or its piece if nothing is left.
std::string token_label(const Tokenizer& tokenizer, int id);
// The text without the one space with which many tokens begin.
std::string_view without_space(std::string_view text);
// All tokens below `vocabulary` that are shown as this text, whatever their space.
std::vector<int> tokens_shown_as(const Tokenizer& tokenizer, int vocabulary, std::string_view text);

// The place that an output predicts: after the token at `position`, or instead of it.
struct Gap {
  enum class Kind { After, Instead };
  const Encoding& encoding;
  int position;
  Kind kind;
};

// Consecutive tokens that spell a text at a gap.
using Reading = std::vector<int>;

// All readings of a text: every token of the vocabulary whose text, alone or in that place, is the given one,
// and what the tokenizer makes of the text in that place, with a space before it and without. A text that
// begins with a space is only read with the space. A piece whose spelling is not its text ("▁was") is that
// token. Readings that need the unknown token are left out.
std::vector<Reading> readings_of(const Tokenizer& tokenizer, int vocabulary, const Gap& gap,
                                 const std::string& text);

}  // namespace headwater
