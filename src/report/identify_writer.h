// Token identifiability as a table for the terminal, JSON, JSON Lines or CSV.
#pragma once

#include <string>

#include <headwater/formats.h>
#include <headwater/identify.h>

namespace headwater {

enum class MatchRule { Id, Position };
enum class Counted { All, Content };  // tokens, with special ones or without

template <class T>
const T& chosen(const TokenRules<T>& rules, MatchRule match, Counted counted) {
  const bool content = counted == Counted::Content;
  if (match == MatchRule::Position) return content ? rules.content_position : rules.position;
  return content ? rules.content_id : rules.id;
}

// `match` is the rule that the table shows; the other formats hold both. `command` repeats the run.
std::string identify_table(const IdentifyReport& report, MatchRule match, const std::string& command,
                           const TerminalFormat& format);
std::string identify_jsonl(const IdentifyReport& report);  // one line per cell
std::string identify_csv(const IdentifyReport& report);    // one row per cell
// Rates over states with their intervals, with and without special tokens; the untrained model is dashed and
// chance is dotted. `metadata` is that of provenance.h.
std::string identify_svg(const IdentifyReport& report, MatchRule match, std::string_view metadata);

}  // namespace headwater
