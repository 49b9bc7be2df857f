#include "text/regex.h"

#include <fmt/format.h>
#include <headwater/error.h>
#include <oniguruma.h>

#include "base/utf8.h"

namespace headwater {
namespace {

// Backtracks allowed in one search of a text: about a second of work, far above what a sane pattern needs.
unsigned long retry_limit(std::string_view text) {
  return 20'000'000 + 16 * text.size();
}

const OnigUChar* bytes(std::string_view text) {
  return reinterpret_cast<const OnigUChar*>(text.data());
}

std::string message_of(int code, OnigErrorInfo* info) {
  OnigUChar buffer[ONIG_MAX_ERROR_MESSAGE_LEN];
  const int length =
      info != nullptr ? onig_error_code_to_str(buffer, code, info) : onig_error_code_to_str(buffer, code);
  return {reinterpret_cast<const char*>(buffer), static_cast<std::size_t>(length)};
}

struct RegionDeleter {
  void operator()(OnigRegion* region) const { onig_region_free(region, 1); }
};
struct ParamDeleter {
  void operator()(OnigMatchParam* param) const { onig_free_match_param(param); }
};

}  // namespace

struct Regex::Compiled {
  OnigRegex regex = nullptr;
};

Regex::Regex(const std::string& pattern, std::string where)
    : compiled_(std::make_unique<Compiled>()), where_(std::move(where)) {
  // onig_new initialises the library on first use; once, before threads meet it.
  static const int initialised = [] {
    OnigEncoding encodings[] = {ONIG_ENCODING_UTF8};
    onig_set_parse_depth_limit(250);  // groups nested deeper than any sane pattern would exhaust the stack
    return onig_initialize(encodings, 1);
  }();
  OnigErrorInfo info{};
  const int code = initialised != ONIG_NORMAL
                       ? initialised
                       : onig_new(&compiled_->regex, bytes(pattern), bytes(pattern) + pattern.size(),
                                  ONIG_OPTION_NONE, ONIG_ENCODING_UTF8, ONIG_SYNTAX_RUBY, &info);
  if (code != ONIG_NORMAL)
    throw FormatError(fmt::format("{}: expected a regular expression, found \"{}\": {}", where_, pattern,
                                  message_of(code, &info)));
}

Regex::~Regex() {
  if (compiled_->regex != nullptr) onig_free(compiled_->regex);
}

std::vector<Match> Regex::split(std::string_view text) const {
  if (text.empty()) return {{0, 0, false}};
  const std::unique_ptr<OnigRegion, RegionDeleter> region(onig_region_new());
  const std::unique_ptr<OnigMatchParam, ParamDeleter> param(onig_new_match_param());
  onig_initialize_match_param(param.get());
  onig_set_retry_limit_in_search_of_match_param(param.get(), retry_limit(text));
  const OnigUChar* const first = bytes(text);
  const OnigUChar* const last = first + text.size();

  std::vector<Match> matches;
  std::size_t covered = 0;  // up to here the text is in `matches`
  std::size_t from = 0;
  bool any = false;
  while (from <= text.size()) {
    const int found = onig_search_with_param(compiled_->regex, first, last, first + from, last, region.get(),
                                             ONIG_OPTION_NONE, param.get());
    if (found == ONIG_MISMATCH) break;
    if (found < 0)
      throw FormatError(fmt::format("{}: the regular expression gave up on a text of {} bytes: {}", where_,
                                    text.size(), message_of(found, nullptr)));
    const auto begin = static_cast<std::size_t>(region->beg[0]);
    const auto end = static_cast<std::size_t>(region->end[0]);
    // An empty match right behind the last one is no match: step over a character and look on.
    if (begin == end && any && end == covered) {
      if (end >= text.size()) break;
      from = end;
      next_code_point(text, from);
      continue;
    }
    if (covered < begin) matches.push_back({covered, begin, false});
    matches.push_back({begin, end, true});
    covered = from = end;
    any = true;
  }
  if (covered < text.size()) matches.push_back({covered, text.size(), false});
  return matches;
}

std::vector<Match> split_literal(std::string_view text, std::string_view literal) {
  if (text.empty()) return {{0, 0, false}};
  std::vector<Match> matches;
  std::size_t covered = 0;
  for (std::size_t at = text.find(literal); at != std::string_view::npos; at = text.find(literal, covered)) {
    if (covered < at) matches.push_back({covered, at, false});
    covered = at + literal.size();
    matches.push_back({at, covered, true});
  }
  if (covered < text.size()) matches.push_back({covered, text.size(), false});
  return matches;
}

Pattern::Pattern(const JsonView& description) {
  if (const auto literal = description.find("String")) {
    literal_ = literal->string();
    // The empty literal matches between all characters, as an empty expression does.
    if (literal_.empty()) regex_ = std::make_unique<Regex>("", literal->where());
    return;
  }
  const JsonView expression = description.at("Regex");
  regex_ = std::make_unique<Regex>(expression.string(), expression.where());
}

std::vector<Match> Pattern::split(std::string_view text) const {
  return regex_ ? regex_->split(text) : split_literal(text, literal_);
}

}  // namespace headwater
