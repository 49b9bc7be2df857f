// The report on a terminal: the answer with its bars, then the result of every method (terminal_scores.h),
// their agreement, and the record.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <headwater/formats.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "drawing/colours.h"
#include "prose/provenance.h"
#include "prose/side_by_side.h"
#include "prose/terminal_generated.h"
#include "prose/terminal_scores.h"
#include "result/rows.h"
#include "result/running_text.h"
#include "result/text_width.h"
#include "study/terms.h"

namespace headwater {

namespace {

using Colour = TerminalFormat::Colour;

void append_scores(std::string& out, const Outcome& outcome, const TerminalFormat& format) {
  int widest = 0;
  const std::size_t shown = std::min<std::size_t>(outcome.top.size(), 8);
  for (std::size_t i = 0; i < shown; ++i)
    widest = std::max(widest, text_width(terminal_safe(outcome.top[i].label)));
  widest = std::min(widest, std::max(8, format.width / 3));
  for (std::size_t i = 0; i < shown; ++i) {
    const Score& score = outcome.top[i];
    const std::string label = fitted(terminal_safe(score.label), widest);
    if (std::isnan(score.probability))
      out += fmt::format("  {}  score {:.4f}\n", bold(label, format.colour), score.logit);
    else
      out += fmt::format("  {}  {:.4f}  {}\n", i == 0 ? bold(label, format.colour) : label, score.probability,
                         bar(score.probability, std::clamp(format.width - widest - 14, 4, 30)));
  }
  if (shown < outcome.top.size()) out += fmt::format("  … {} more\n", outcome.top.size() - shown);
}

// The name of the units, for agreement and for the page: "tokens", "words" or "patches".
std::string units_name(const Report& report, int count) {
  if (patches_of(report.prediction) != nullptr) return count == 1 ? "patch" : "patches";
  const bool words = report.asked.view.unit == View::Unit::Word;
  return std::string(words ? "word" : "token") + (count == 1 ? "" : "s");
}

// "attention · value_zeroing   τ-b 0.512   ρ 0.683   over 17 tokens"
std::string agreement_view(const Report& report, const TerminalFormat& format) {
  const Colour colour = format.colour;
  if (report.agreement.empty()) return {};
  const auto value = [](double v) { return std::isnan(v) ? std::string("–") : fmt::format("{:.3f}", v); };
  std::string out = "\n" + bold("agreement", colour);
  if (format.brief && report.agreement.size() == 1) {
    const Agreement& pair = report.agreement.front();
    return out + fmt::format("  Kendall τ-b {}, Spearman ρ {} over {} {}\n", value(pair.whole_kendall),
                             value(pair.whole_spearman), pair.units, units_name(report, pair.units));
  }
  out += dim("  rank correlation of what both measured: Kendall τ-b, Spearman ρ\n", colour);
  for (const Agreement& pair : report.agreement)
    out += fmt::format("  {} · {}  τ-b {}  ρ {}  over {} {}\n", pair.first, pair.second,
                       value(pair.whole_kendall), value(pair.whole_spearman), pair.units,
                       units_name(report, pair.units));
  return out;
}

// Whether the target is the first answer above, so that its line would say nothing new.
bool is_first_outcome(const Report& report) {
  const auto& outcomes = report.prediction.outcomes;
  return outcomes.size() == 1 && !outcomes.front().top.empty() &&
         outcomes.front().top.front().index == report.target.index && report.target.tokens.empty();
}

// The tokens below that belong to the target and not to the text.
std::string own_tokens_line(const Report& report) {
  std::string own;
  for (const Unit& token : report.prediction.units)
    if (token.target) own += " " + token_word(token);
  return own.empty() ? "" : fmt::format("  target tokens on which its later tokens depend:{}\n", own);
}

}  // namespace

std::string to_terminal(const Prediction& prediction, const TerminalFormat& format) {
  std::string out;
  if (prediction.answer)
    out += fmt::format("  {}  {:.4f}\n", bold(terminal_safe(prediction.answer->text), format.colour),
                       prediction.answer->probability);
  if (prediction.continuation) out += "  " + terminal_safe(*prediction.continuation) + "\n";
  for (const Outcome& outcome : prediction.outcomes) {
    if (prediction.answer) break;
    // The token after a prefix is the next one and needs no position.
    const bool placed = prediction.sequences.size() < 2 && outcome.position >= 0;
    const auto unit = static_cast<std::size_t>(outcome.position);
    if (placed && unit < prediction.units.size())
      out +=
          dim(fmt::format("  {} {}\n", outcome.position, token_text(prediction.units[unit])), format.colour);
    append_scores(out, outcome, format);
  }
  if (!prediction.hidden.empty()) out += fmt::format("  hidden states {}\n", prediction.hidden.shape().str());
  if (prediction.truncated) out += "  (the text was cut to the model's limit)\n";
  return out;
}

std::string to_terminal(const Report& measured, const TerminalFormat& format) {
  const Report report = viewed(measured);
  const std::string sentence =
      bold(paragraph(sentence_of(report), {.first = 0, .rest = 2, .width = format.width}), format.colour);
  std::string out = format.brief ? "" : sentence + "\n";
  out += to_terminal(report.prediction, format);
  const char* const quantity = has_several_tokens(report.target) ? "log-probability" : "logit";
  if (report.target.contrast)
    out += fmt::format("  target: {} − {}, {} difference {:.4f}\n", terminal_safe(report.target.label),
                       terminal_safe(report.target.contrast_label), quantity, report.target.logit);
  else if (!report.target.label.empty() && !(format.brief && is_first_outcome(report)))
    out += fmt::format("  target: {}, {} {:.4f}\n", terminal_safe(report.target.label), quantity,
                       report.target.logit);
  if (!report.fitted.empty()) out += "  the picture was " + report.fitted + "\n";
  out += own_tokens_line(report);
  for (const Attribution& attribution : report.attributions)
    if (!attribution.scores().empty())
      out += scores_view(report, attribution, format) + generated_view(report, attribution, format);
  out += agreement_view(report, format);
  if (!report.agreement.empty() && !format.brief) out += results_side_by_side(report, format);
  out += record_text(report.record, format);
  return format.brief ? out + sentence : out;
}

TerminalFormat terminal_format(int file_descriptor) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  TerminalFormat format;
  winsize size{};
  if (ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) format.width = size.ws_col;
  if (const int columns = std::atoi(variable("COLUMNS").c_str()); columns > 0) format.width = columns;
  format.width = std::clamp(format.width, 30, 400);
  const std::string term = variable("TERM"), depth = variable("COLORTERM");
  if (!variable("NO_COLOR").empty() || isatty(file_descriptor) == 0 || term == "dumb") return format;
  const bool full = depth == "truecolor" || depth == "24bit";
  format.colour = full ? Colour::TrueColour : Colour::Ansi256;
  return format;
}

}  // namespace headwater
