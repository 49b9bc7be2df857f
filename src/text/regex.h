// Regular expressions of tokenizer.json (Oniguruma, Ruby syntax, UTF-8), with a limit on backtracking so
// that no pattern can hang the program, however often it is searched for. Immutable and thread-safe after
// construction.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/json_view.h"

namespace headwater {

// While it lives, all expressions that this thread searches for share what one text of so many bytes may
// cost.
class RegexBudget {
 public:
  explicit RegexBudget(std::size_t bytes);
  RegexBudget(const RegexBudget&) = delete;
  RegexBudget& operator=(const RegexBudget&) = delete;
  ~RegexBudget();

  // False when that was too much: so many backtracks, or 0 and a search that may have needed none.
  bool spend(std::uint64_t backtracks);

 private:
  std::uint64_t backtracks_, searches_ = 0;
  double until_;  // processor time of this thread
  RegexBudget* before_;
};

struct Match {
  std::size_t begin, end;
  bool matched;  // false: the text between two matches
};

class Regex {
 public:
  // `where` names the pattern in messages. Throws FormatError if the pattern does not compile.
  Regex(const std::string& pattern, std::string where);
  ~Regex();
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;

  // Matches and what lies between them, in order, covering the text. Throws FormatError when the
  // pattern backtracks without end on this text.
  std::vector<Match> split(std::string_view text) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
  std::string where_;
};

// What a splitting or replacing step looks for: {"String": …} or {"Regex": …}.
class Pattern {
 public:
  explicit Pattern(const JsonView& description);  // throws FormatError
  std::vector<Match> split(std::string_view text) const;

 private:
  std::string literal_;
  std::unique_ptr<const Regex> regex_;  // none: the literal
};

std::vector<Match> split_literal(std::string_view text, std::string_view literal);  // of at least a byte

}  // namespace headwater
