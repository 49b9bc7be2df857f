// Targets of language models: the step from a text or ids to the tokens that are meant at a place of the
// input.
//
// A text names the token that would be predicted there. The likeliest of its readings (study/token_text.h) is
// used if it has nine tenths of the probability of all of them. Otherwise the text is ambiguous, and the
// error names the candidates. For text generation, a text that only several tokens spell names these tokens
// in turn. All of them except the last are then appended to the input, so that each is predicted at a row of
// its own.
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

inline constexpr double clear_share = 0.9;  // share of the readings' probability that the likeliest needs

// Ids are written "#471,29915,29873"; token_ids reads that form and returns nothing for any other text.
// Throws InputError for ids outside the vocabulary.
std::string written_ids(std::span<const int> ids);
std::optional<std::vector<int>> token_ids(const LoadedModel& loaded, const std::string& text,
                                          std::string_view what);

// The tokens named by ids or by the text of one token, given the logits at that place. Throws InputError that
// begins with `what` if the text is ambiguous, has several tokens, or is spelled by none.
std::vector<int> tokens_meant(const LoadedModel& loaded, const Encoding& encoding, int position,
                              std::span<const double> logits, const std::string& text, std::string_view what);

// The name of a token beside these logits: its text, with its id if a likelier token looks the same ("was
// #11102").
std::string token_name(const LoadedModel& loaded, std::span<const double> logits, int id);

// Replaces texts in the spec that may be several tokens by ids, which takes a run of the model for each such
// reading. It appends `added` tokens to `prepared` and sets the rows that the task head must compute. Throws
// InputError as tokens_meant does, for an input that becomes too long, and for a target and a contrast of
// several tokens that need different inputs.
struct MovedOn {
  TargetSpec spec;
  int added = 0;
};
MovedOn move_on(const LoadedModel& loaded, TargetSpec spec, Prepared& prepared);

// Cuts the input after `position` of the output's sequence and appends these tokens.
void append_tokens(const LoadedModel& loaded, Prepared& prepared, int position, std::span<const int> more);

// The largest number of tokens that move_on may append: for plans, without a run.
Index most_added(const LoadedModel& loaded, const TargetSpec& spec, const Encoding& encoding);

}  // namespace headwater
