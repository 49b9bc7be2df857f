// Targets of language models: from a text or ids to the tokens that are meant at a place of the input.
//
// A text is the token that would be predicted there: of all its readings (study/token_text.h) the likeliest,
// if it has nine tenths of what they have together. Otherwise the text is ambiguous, and the error names the
// candidates. A text that only several tokens spell is these tokens in turn, for text generation; then the
// input is moved on by all of them but the last, so that each is predicted at a row of its own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <headwater/report.h>
#include <headwater/request.h>

#include "study/inputs.h"

namespace headwater {

inline constexpr double clear_share = 0.9;  // of the readings' probability, for the likeliest to be meant

// "#471,29915,29873": how ids are written and, in token_ids, read; nothing if it is no such text. Throws
// InputError for ids outside the vocabulary.
std::string written_ids(std::span<const int> ids);
std::optional<std::vector<int>> token_ids(const LoadedModel& loaded, const std::string& text,
                                          std::string_view what);

// The tokens meant by ids or by the text of one token, where the logits of the place are at hand. Throws
// InputError that begins with `what`: ambiguous, of several tokens, or spelt by none.
std::vector<int> tokens_meant(const LoadedModel& loaded, const Encoding& encoding, int position,
                              std::span<const double> logits, const std::string& text, std::string_view what);

// What a token is called where the logits are these: its text, and its id too where a likelier token is shown
// alike ("was #11102").
std::string token_name(const LoadedModel& loaded, std::span<const double> logits, int id);

// The spec with ids in place of texts that may be several tokens, which takes a run of the model for each
// such reading; the input moved on by `added` tokens, and the rows its head must compute. Throws InputError
// as tokens_meant, for an input that becomes too long, and for a target and a contrast of several tokens that
// need different inputs.
struct MovedOn {
  TargetSpec spec;
  int added = 0;
};
MovedOn move_on(const LoadedModel& loaded, TargetSpec spec, Prepared& prepared);

// How many tokens moving on may add, at most: for plans, without a run.
// The input up to `position` of the sequence that is written, and these tokens behind it.
void append_tokens(const LoadedModel& loaded, Prepared& prepared, int position, std::span<const int> more);

Index most_added(const LoadedModel& loaded, const TargetSpec& spec, const Encoding& encoding);

}  // namespace headwater
