// Unicode normal forms (UAX #15) with a count of how characters came about, so that spans survive:
//
//   decompose  each character becomes its full decomposition: the first part replaces (0), others insert (+1)
//   order      runs of non-starters are sorted by combining class, stably, counts moving along
//   compose    starter + unblocked mark with a primary composite: the counts add up, less the one consumed
#include <algorithm>
#include <optional>

#include <utf8proc.h>

#include "base/utf8.h"
#include "text/unicode.h"
#include "text/unicode_versions.h"

namespace headwater {
namespace {

int combining_class(char32_t c) {
  if (c < 0x300) return 0;
  if (among(c, marks_after_9)) return 0;
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class;
}

std::vector<Change> decompose(std::string_view text, bool compatibility) {
  std::vector<Change> out;
  out.reserve(text.size());
  std::vector<std::pair<int, Change>> pending;  // non-starters waiting for their order
  const auto flush = [&] {
    std::stable_sort(pending.begin(), pending.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [unused, change] : pending) out.push_back(change);
    pending.clear();
  };
  const auto push = [&](char32_t c, int change) {
    const int order = combining_class(c);
    if (order != 0) {
      pending.push_back({order, {c, change}});
    } else {
      flush();
      out.push_back({c, change});
    }
  };
  const int options = UTF8PROC_DECOMPOSE | (compatibility ? UTF8PROC_COMPAT : 0);
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (c < 0xA0 || among(c, decompositions_after_9)) {
      push(c, 0);
      continue;
    }
    utf8proc_int32_t parts[32];
    const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts, 32,
                                               static_cast<utf8proc_option_t>(options), nullptr);
    if (count <= 0 || count > 32) {
      push(c, 0);
      continue;
    }
    for (utf8proc_ssize_t i = 0; i < count; ++i) push(static_cast<char32_t>(parts[i]), i > 0 ? 1 : 0);
  }
  flush();
  return out;
}

std::optional<char32_t> compose_pair(char32_t a, char32_t b) {
  if (b < 0x300) return std::nullopt;
  utf8proc_int32_t pair[3] = {static_cast<utf8proc_int32_t>(a), static_cast<utf8proc_int32_t>(b), 0};
  const auto length =
      utf8proc_normalize_utf32(pair, 2, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  if (length != 1 || among(static_cast<char32_t>(pair[0]), decompositions_after_9)) return std::nullopt;
  return static_cast<char32_t>(pair[0]);
}

std::vector<Change> compose(const std::vector<Change>& decomposed) {
  std::vector<Change> out;
  out.reserve(decomposed.size());
  std::vector<Change> marks;  // after the starter, not composed with it
  std::optional<Change> starter;
  int last_class = -1;  // of `marks`; −1: there are none
  for (const Change& c : decomposed) {
    const int order = combining_class(c.code_point);
    if (!starter) {
      if (order == 0) {
        starter = c;
      } else {
        out.push_back(c);
      }
      continue;
    }
    if (last_class < order || last_class < 0) {
      if (const auto composite = compose_pair(starter->code_point, c.code_point)) {
        starter = Change{*composite, starter->change + c.change - 1};
        continue;
      }
    }
    if (order != 0) {
      marks.push_back(c);
      last_class = order;
      continue;
    }
    out.push_back(*starter);
    out.insert(out.end(), marks.begin(), marks.end());
    marks.clear();
    last_class = -1;
    starter = c;
  }
  if (starter) out.push_back(*starter);
  out.insert(out.end(), marks.begin(), marks.end());
  return out;
}

}  // namespace

void to_normal_form(AlignedText& text, NormalForm form) {
  if (is_ascii(text.text)) return;
  const bool compatibility = form == NormalForm::Nfkc || form == NormalForm::Nfkd;
  auto changes = decompose(text.text, compatibility);
  if (form == NormalForm::Nfc || form == NormalForm::Nfkc) changes = compose(changes);
  apply_changes(text, changes);
}

}  // namespace headwater
