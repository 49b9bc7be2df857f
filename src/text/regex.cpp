#include "text/regex.h"

#include <ctime>
#include <optional>

#include <fmt/format.h>
#include <headwater/error.h>
#include <oniguruma.h>

#include "base/utf8.h"

namespace headwater {
namespace {

// Backtracks and processor time that one text may cost: seconds of work, far above what a sane pattern needs.
// A backtrack may pass over the rest of the text, so their number alone says little.
std::uint64_t backtracks_for(std::size_t bytes) {
  return 20'000'000 + 16 * std::uint64_t{bytes};
}
double seconds_for(std::size_t bytes) {
  return 2 + 1e-6 * static_cast<double>(bytes);
}

double processor_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Of the text this thread is at; null: each split has a budget of its own.
thread_local RegexBudget* budget = nullptr;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

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

RegexBudget::RegexBudget(std::size_t bytes)
    : backtracks_(backtracks_for(bytes)), until_(processor_time() + seconds_for(bytes)), before_(budget) {
  budget = this;
}

RegexBudget::~RegexBudget() {
  budget = before_;
}

bool RegexBudget::spend(std::uint64_t backtracks) {
  constexpr std::uint64_t looks = 64;  // asking for the time is dear beside a search
  const bool enough = backtracks_ >= backtracks;
  backtracks_ -= enough ? backtracks : backtracks_;
  const bool look = backtracks > 0 || ++searches_ % looks == 0;
  return enough && !(look && processor_time() > until_);
}

namespace {

// Searches from `from` on. The library bounds one search but does not say what it took, so each begins with
// little, gets twice as much when that was not enough, and what was not enough is taken from the budget.
int search(OnigRegex regex, std::string_view text, std::size_t from, OnigRegion* region,
           OnigMatchParam* param) {
  constexpr std::uint64_t first_try = 64;
  const OnigUChar* const first = bytes(text);
  const OnigUChar* const last = first + text.size();
  if (!budget->spend(0)) return ONIGERR_RETRY_LIMIT_IN_SEARCH_OVER;
  for (std::uint64_t tries = first_try;; tries *= 2) {
    onig_set_retry_limit_in_search_of_match_param(param, tries);
    const int found =
        onig_search_with_param(regex, first, last, first + from, last, region, ONIG_OPTION_NONE, param);
    if (found != ONIGERR_RETRY_LIMIT_IN_SEARCH_OVER || !budget->spend(tries)) return found;
  }
}

}  // namespace

std::vector<Match> Regex::split(std::string_view text) const {
  if (text.empty()) return {{0, 0, false}};
  std::optional<RegexBudget> own;
  if (budget == nullptr) own.emplace(text.size());
  const std::unique_ptr<OnigRegion, RegionDeleter> region(onig_region_new());
  const std::unique_ptr<OnigMatchParam, ParamDeleter> param(onig_new_match_param());
  onig_initialize_match_param(param.get());

  std::vector<Match> matches;
  std::size_t covered = 0;  // up to here the text is in `matches`
  std::size_t from = 0;
  bool any = false;
  while (from <= text.size()) {
    const int found = search(compiled_->regex, text, from, region.get(), param.get());
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
