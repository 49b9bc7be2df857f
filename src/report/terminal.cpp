// The report on a terminal: the answer with its bars, then per method the text coloured by the row the answer
// was read from, and one line per layer with its strongest tokens. Without colour the numbers stand beside
// the tokens.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>

#include <fmt/format.h>
#include <headwater/formats.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "report/colours.h"
#include "report/focus.h"
#include "report/text_width.h"

namespace headwater {

namespace {

using Colour = TerminalFormat::Colour;

std::string bold(const std::string& text, Colour colour) {
  return colour == Colour::None ? text : "\x1b[1m" + text + "\x1b[0m";
}

std::string dim(const std::string& text, Colour colour) {
  return colour == Colour::None ? text : "\x1b[2m" + text + "\x1b[0m";
}

// Eighths of a column, so that small differences show; what exceeds the scale ends in "▶". What counts
// against is shaded.
std::string bar(double share, int columns) {
  if (share < 0) {
    std::string out;
    for (long i = std::lround(std::min(1.0, -share) * columns); i > 0; --i) out += "▒";
    return share < -1 - 1e-9 ? out + "▶" : out;
  }
  static const char* const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * columns * 8));
  std::string out;
  for (int i = 0; i < eighths / 8; ++i) out += "█";
  out += share > 1 + 1e-9 ? "▶" : parts[eighths % 8];
  return out;
}

std::string token_text(const TokenView& token) {
  std::string text = terminal_safe(token.text);
  return text.empty() ? "␣" : text;
}

// In lists: without the space that some tokenizers count to the word behind it.
std::string token_word(const TokenView& token) {
  const std::string text = token_text(token);
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "␣" : text.substr(first);
}

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

// The text as it was written, coloured; gaps of the original become one space.
std::string coloured_text(const Report& report, const std::vector<double>& weights, double scale,
                          const TerminalFormat& format) {
  const auto& tokens = report.prediction.tokens;
  std::string out = "  ";
  int column = 2;
  for (std::size_t t = 0; t < tokens.size() && t < weights.size(); ++t) {
    const std::string text = token_text(tokens[t]);
    const bool joined = t > 0 && !tokens[t].special && !tokens[t - 1].special &&
                        tokens[t].sequence == tokens[t - 1].sequence && tokens[t].begin == tokens[t - 1].end;
    const int width = text_width(text) + (joined || t == 0 ? 0 : 1);
    if (column + width > format.width && column > 2) {
      out += "\n  ";
      column = 2;
    } else if (!joined && t > 0) {
      out += ' ';
    }
    out += std::isnan(weights[t]) ? dim(text, format.colour)
                                  : painted(text, scale > 0 ? weights[t] / scale : 0, format.colour);
    column += width;
  }
  return out + "\n";
}

// Digits behind the point that show four figures of the largest number.
int decimals_for(const std::vector<double>& numbers) {
  double largest = 0;
  for (const double v : numbers)
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  if (largest >= 100) return 1;
  if (largest >= 0.1 || largest == 0) return 4;
  return std::min(12, 3 - static_cast<int>(std::floor(std::log10(largest))));
}

std::string plain_rows(const Report& report, const std::vector<double>& weights, double scale, int width) {
  const auto& tokens = report.prediction.tokens;
  int widest = 5;
  for (const TokenView& token : tokens) widest = std::max(widest, text_width(token_word(token)));
  widest = std::min(widest, std::max(8, width / 3));
  const int decimals = decimals_for(weights);
  const auto number = [&](std::size_t t) { return fmt::format("{:.{}f}", weights[t], decimals); };
  int digits = 0;
  for (std::size_t t = 0; t < weights.size(); ++t)
    if (!std::isnan(weights[t])) digits = std::max(digits, static_cast<int>(number(t).size()));
  std::string out;
  for (std::size_t t = 0; t < tokens.size() && t < weights.size(); ++t) {
    const std::string name = fitted(token_word(tokens[t]), widest);
    if (std::isnan(weights[t]))
      out += fmt::format("  {}  –\n", name);
    else
      out += fmt::format(
          "  {}  {:>{}}  {}\n", name, number(t), digits,
          bar(scale > 0 ? weights[t] / scale : 0, std::clamp(width - widest - digits - 8, 4, 30)));
  }
  return out;
}

// Patches as a square of cells two columns wide.
std::string patch_grid(const Report& report, const std::vector<double>& weights, double scale,
                       const TerminalFormat& format) {
  const auto prefix = static_cast<std::size_t>(report.model.prefix_tokens);
  if (weights.size() <= prefix) return {};
  const auto side =
      static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(weights.size() - prefix))));
  static const char* const shades[] = {"  ", "░░", "▒▒", "▓▓", "██"};
  std::string out;
  for (std::size_t y = 0; y < side; ++y) {
    out += "  ";
    for (std::size_t x = 0; x < side && prefix + y * side + x < weights.size(); ++x) {
      const double share = scale > 0 ? weights[prefix + y * side + x] / scale : 0;
      out += format.colour == Colour::None
                 ? shades[static_cast<std::size_t>(std::lround(std::clamp(std::abs(share), 0.0, 1.0) * 4))]
                 : painted("  ", share, format.colour);
    }
    out += '\n';
  }
  return out;
}

std::string token_name(const Report& report, std::size_t t) {
  if (t < report.prediction.tokens.size()) return token_word(report.prediction.tokens[t]);
  const auto prefix = static_cast<std::size_t>(report.model.prefix_tokens);
  if (t < prefix) return t == 0 ? "[CLS]" : fmt::format("[{}]", t);
  return fmt::format("patch {}", t - prefix);
}

// "L3  not 0.2214  bad 0.1807  [CLS] 0.1010"
std::string layer_line(const Report& report, const Attribution& attribution, Index layer) {
  const std::vector<double> weights = answer_weights(report, attribution, layer);
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto value = [&](std::size_t t) { return std::isnan(weights[t]) ? -1.0 : std::abs(weights[t]); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return value(a) > value(b); });
  const int decimals = decimals_for(weights);
  std::string out = fmt::format("  {:<4}", fmt::format("L{}", layer));
  for (std::size_t i = 0; i < std::min<std::size_t>(3, order.size()); ++i)
    if (value(order[i]) >= 0)
      out +=
          fmt::format("  {} {:.{}f}", fitted(token_name(report, order[i]), 12), weights[order[i]], decimals);
  while (out.back() == ' ') out.pop_back();
  return out + "\n";
}

std::string checks_line(const Attribution& attribution) {
  std::string out;
  for (const Check& check : attribution.checks)
    out += fmt::format("  {} {} ({:.1e}, bound {:.1e})\n", check.passed ? "✓" : "✗", check.name, check.value,
                       check.bound);
  for (const std::string& note : attribution.notes) out += "  · " + note + "\n";
  return out;
}

// "attention · value_zeroing   τ-b 0.512   ρ 0.683"
std::string agreement_view(const Report& report, Colour colour) {
  if (report.agreement.empty()) return {};
  const auto value = [](double v) { return std::isnan(v) ? std::string("–") : fmt::format("{:.3f}", v); };
  std::string out = "\n" + bold("agreement", colour) +
                    dim("  rank correlation of the rows above: Kendall τ-b, Spearman ρ\n", colour);
  for (const Agreement& pair : report.agreement)
    out += fmt::format("  {} · {}  τ-b {}  ρ {}\n", pair.first, pair.second, value(pair.whole_kendall),
                       value(pair.whole_spearman));
  return out;
}

std::string attribution_view(const Report& report, const Attribution& attribution,
                             const TerminalFormat& format) {
  const Index layers = layer_count(attribution), row = focus_row(report);
  const std::vector<double> weights = answer_weights(report, attribution, layers - 1);
  const double scale = word_scale(report, weights);
  const bool map = has_axis(attribution, "query");
  const std::string answer = report.answer_token.empty() ? token_name(report, static_cast<std::size_t>(row))
                                                         : terminal_safe(report.answer_token);
  std::string what = map ? "row " + answer : "every token";
  if (!map && report.prediction.tokens.empty()) what = "every patch";
  if (has_axis(attribution, "layer")) what += fmt::format(" of layer {}", layers - 1);
  std::string out =
      fmt::format("\n{}  {}\n", bold(attribution.method, format.colour),
                  dim(fmt::format("{}, scale 0 … {:.{}f} (strongest {})", what, scale, decimals_for(weights),
                                  report.prediction.tokens.empty() ? "patch" : "word"),
                      format.colour));
  if (report.prediction.tokens.empty())
    out += patch_grid(report, weights, scale, format);
  else if (format.colour == Colour::None)
    out += plain_rows(report, weights, scale, format.width);
  else
    out += coloured_text(report, weights, scale, format);
  if (layers > 1) out += dim("  strongest by layer\n", format.colour);
  for (Index layer = 0; layers > 1 && layer < layers; ++layer) out += layer_line(report, attribution, layer);
  return out + checks_line(attribution);
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
    if (outcome.position >= 0 && outcome.position < static_cast<int>(prediction.tokens.size()))
      out += dim(fmt::format("  {} {}\n", outcome.position,
                             token_text(prediction.tokens[static_cast<std::size_t>(outcome.position)])),
                 format.colour);
    append_scores(out, outcome, format);
  }
  if (!prediction.hidden.empty()) out += fmt::format("  hidden states {}\n", prediction.hidden.shape().str());
  if (prediction.truncated) out += "  (the text was cut to the model's limit)\n";
  return out;
}

std::string to_terminal(const Report& report, const TerminalFormat& format) {
  std::string out = to_terminal(report.prediction, format);
  if (report.target.contrast)
    out += fmt::format("  target: {} − {}, logit difference {:.4f}\n", terminal_safe(report.target.label),
                       terminal_safe(report.target.contrast_label), report.target.logit);
  else if (!report.target.label.empty())
    out +=
        fmt::format("  target: {}, logit {:.4f}\n", terminal_safe(report.target.label), report.target.logit);
  for (const Attribution& attribution : report.attributions)
    if (!attribution.scores.empty()) out += attribution_view(report, attribution, format);
  out += agreement_view(report, format.colour);
  const RunRecord& record = report.record;
  out += dim(fmt::format("\n  headwater {} · {} · {} · {} threads · weights {}\n", record.version,
                         terminal_safe(record.model), record.dtype, record.threads,
                         record.weights_sha256.substr(0, 12)),
             format.colour);
  return out;
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
