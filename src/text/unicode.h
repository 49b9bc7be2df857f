// What the tokenizer pipeline asks of a code point, and the four Unicode normal forms.
#pragma once

#include <string_view>
#include <vector>

#include "text/aligned_text.h"

namespace headwater {

bool is_space(char32_t c);            // White_Space
bool is_number(char32_t c);           // Nd, Nl, No
bool is_punctuation(char32_t c);      // P*, and every ASCII symbol
bool is_control(char32_t c);          // Cc, Cf, Co
bool is_nonspacing_mark(char32_t c);  // Mn
bool is_combining_mark(char32_t c);   // Mn, Mc, Me
bool is_word(char32_t c);             // \w: letters, marks, decimal numbers, connectors, joiners
bool is_cjk_ideograph(char32_t c);    // the blocks BERT surrounds by spaces
std::u32string_view lowercase(char32_t c, char32_t (&buffer)[2]);

enum class NormalForm { Nfc, Nfd, Nfkc, Nfkd };
void to_normal_form(AlignedText& text, NormalForm form);

}  // namespace headwater
