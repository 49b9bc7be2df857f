
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "drawing/colours.h"
#include "files/schema.h"
#include "result/sentence.h"
#include "result/text_width.h"

namespace headwater {

std::string account_text(const Account& account) {
  const double share = 100 * share_of(account);
  const std::string part = std::isnan(share)         ? "nothing was shared out"
                           : std::abs(share) >= 9.5  ? fmt::format("{:.0f} %", share)
                           : std::abs(share) >= 0.95 ? fmt::format("{:.1f} %", share)
                                                     : fmt::format("{:.2g} %", share);
  return fmt::format("The scores add up to {:.4g} of {} of {:.4g}: {}.", account.sum, account.what,
                     account.of, part);
}

std::string checks_text(const std::vector<Check>& checks, const std::vector<std::string>& notes,
                        const TerminalFormat& format) {
  std::string out;
  const auto add = [&](const std::string& text) {
    out += paragraph(text, {.first = 2, .rest = 4, .width = format.width});
  };
  for (const Check& check : checks)
    add(fmt::format("{} {} ({:.1e}, bound {:.1e})", check.passed ? "✓" : "✗", check.name, check.value,
                    check.bound));
  for (const std::string& note : notes) add("· " + terminal_safe(note));
  return out;
}

std::string checks_summary(const std::vector<Check>& checks, const std::vector<std::string>& notes,
                           const TerminalFormat& format) {
  const bool held =
      std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.passed; });
  if (!held) return checks_text(checks, notes, format);
  const auto counted = [](std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  std::string text = checks.empty() ? "" : fmt::format("✓ {} passed", counted(checks.size(), "check"));
  if (!notes.empty()) text += fmt::format("{}{}", text.empty() ? "· " : ", ", counted(notes.size(), "note"));
  return text.empty() ? "" : dim(fmt::format("  {} (--details)\n", text), format.colour);
}

std::string record_text(const RunRecord& record, const TerminalFormat& format, const std::string& command) {
  const ParagraphFormat lines{.first = 2, .rest = 2, .width = format.width};
  std::string out = "\n" + dim(paragraph(record_line(record), lines), format.colour);
  // Not wrapped, so that it can be copied.
  if (!command.empty()) out += dim("  again: " + terminal_safe(command) + "\n", format.colour);
  return out;
}

}  // namespace headwater
