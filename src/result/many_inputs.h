// Parts of results over many inputs that their tables, files and charts share.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <headwater/evaluate.h>
#include <headwater/heads.h>
#include <headwater/identify.h>

namespace headwater {

// The checks of all rankings, each with the ranking's name before it, and one record for all of them.
std::vector<Check> checks_of(std::span<const HeadImportance> rankings);

RunRecord record_of(std::span<const HeadImportance> rankings);

std::string pattern_of(const Trigger& trigger);  // its tokens: "not … bad"

std::string arrow_of(const EvaluationMetric& metric);  // " ↑": higher is better, " ↓", or nothing

std::string after(int state);  // what a state comes after: "embeddings", "layer 3"

enum class MatchRule { Id, Position };

enum class Counted { All, Content };  // tokens, with special ones or without

template <class T>
const T& chosen(const TokenRules<T>& rules, MatchRule match, Counted counted) {
  const bool content = counted == Counted::Content;
  if (match == MatchRule::Position) return content ? rules.content_position : rules.position;
  return content ? rules.content_id : rules.id;
}

}  // namespace headwater
