#include "prose/terminal_scores.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "drawing/colours.h"
#include "prose/provenance.h"
#include "result/rows.h"
#include "result/running_text.h"
#include "result/text_width.h"

namespace headwater {

namespace {

using Colour = TerminalFormat::Colour;

constexpr std::size_t most_bars = 40;  // more tokens are shown as a text, not as a table

// Painted: running text, in colour. Marked: running text, with numbers in braces. Bars: one line per token.
enum class Form { Painted, Marked, Bars, Picture };

// The shown part of an attribution: one row of numbers, and how to read them.
struct Row {
  Form form = Form::Bars;
  std::vector<double> weights;
  double scale = 0;
  Index layer = 0;
  int decimals = 4;
  bool has_sign = false;

  double share(std::size_t t) const { return scale > 0 ? weights[t] / scale : 0; }
  std::string number(double value, int digits) const {
    return has_sign ? fmt::format("{:+.{}f}", value, digits) : fmt::format("{:.{}f}", value, digits);
  }
};

// The digits after the point that show four figures of the largest number.
int decimals_for(const std::vector<double>& numbers) {
  double largest = 0;
  for (const double v : numbers)
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  if (largest >= 100) return 1;
  if (largest >= 0.1 || largest == 0) return 4;
  return std::min(12, 3 - static_cast<int>(std::floor(std::log10(largest))));
}

std::vector<double> weights_of(const Report& report, const Attribution& attribution, Index layer,
                               const TerminalFormat& format) {
  if (format.row >= 0 && has_axis(attribution, Axis::Query))
    return row_weights(report, attribution, layer, format.row);
  return answer_weights(report, attribution, layer);
}

bool is_picture(const Report& report) {
  return patches_of(report.prediction) != nullptr;
}

Form form_of(const Report& report, const TerminalFormat& format) {
  if (is_picture(report)) return Form::Picture;
  if (format.colour != Colour::None) return Form::Painted;
  return report.prediction.units.size() > most_bars ? Form::Marked : Form::Bars;
}

Row shown_row(const Report& report, const Attribution& attribution, const TerminalFormat& format) {
  Row row{.form = form_of(report, format), .layer = shown_layer(report, attribution)};
  row.weights = weights_of(report, attribution, row.layer, format);
  row.scale = word_scale(report, row.weights);
  row.decimals = decimals_for(row.weights);
  row.has_sign = std::any_of(row.weights.begin(), row.weights.end(), [](double v) { return v < 0; });
  return row;
}

std::string unit_name(const Report& report, std::size_t t) {
  return t < report.prediction.units.size() ? token_word(report.prediction.units[t]) : "";
}

std::string target_name(const Report& report) {
  return terminal_safe(report.target.label);
}

// "counts for POSITIVE, orange against it": the words before and between are the colours' or the bars'.
std::string sign_text(const Report& report, const Attribution& attribution, std::string_view more,
                      std::string_view less) {
  if (!attribution.traits.of_target) return fmt::format("{} is negative", less);
  if (report.target.contrast)
    return fmt::format("{} counts for {}, {} for {}", more, target_name(report), less,
                       terminal_safe(report.target.contrast_label));
  return fmt::format("{} counts for {}, {} against it", more, target_name(report), less);
}

std::string asked(const Report& report, const Attribution& attribution, const Row& row,
                  const TerminalFormat& format) {
  const bool map = has_axis(attribution, Axis::Query), layered = has_axis(attribution, Axis::Layer);
  const std::string unit = is_picture(report) ? "patch" : "token";
  std::string text;
  if (map) {
    const bool given = format.row >= 0 || report.answer_token.empty();
    const Index own = format.row >= 0 ? format.row : row_to_show(report);
    text = "row " +
           (given ? unit_name(report, static_cast<std::size_t>(own)) : terminal_safe(report.answer_token));
  } else {
    text = layered ? "every " + unit : fmt::format("how much each {} counts", unit);
  }
  if (layered) text += fmt::format(" of layer {}", row.layer);
  if (row.layer + 1 < layer_count(attribution))
    text += std::string(", the one that reads most from other ") + (is_picture(report) ? "patches" : "words");
  if (report.target.label.empty()) return text;
  if (!attribution.traits.of_target) return text + "; same for every class";
  text += " for " + target_name(report);
  if (report.target.contrast) text += " rather than " + terminal_safe(report.target.contrast_label);
  return text;
}

// The tokens whose numbers are printed: a quarter of them, from three to eight, and none under a tenth of the
// strongest.
std::set<std::size_t> strongest(const std::vector<double>& weights) {
  std::vector<std::size_t> order;
  double largest = 0;
  for (const double w : weights)
    if (std::isfinite(w)) largest = std::max(largest, std::abs(w));
  for (std::size_t t = 0; t < weights.size(); ++t)
    if (std::isfinite(weights[t]) && std::abs(weights[t]) > 0.1 * largest) order.push_back(t);
  const std::size_t kept = std::min(order.size(), std::clamp<std::size_t>(weights.size() / 4, 3, 8));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return std::abs(weights[a]) > std::abs(weights[b]); });
  return {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept)};
}

// Values near 0 keep the terminal's own colours; painted, they would be the brightest on a dark screen.
std::string painted_token(const std::string& text, double share, Colour colour) {
  if (std::isnan(share)) return dim(text, colour);
  return std::abs(share) < 1.0 / 16 ? text : painted(text, share, colour);
}

std::string running_view(const Report& report, const Row& row, const TerminalFormat& format) {
  const std::set<std::size_t> numbered = strongest(row.weights);
  std::vector<PrintedPiece> pieces;
  std::size_t t = 0;
  for (const TextPiece& piece : pieces_of(report)) {
    if (t >= row.weights.size()) break;
    const double weight = row.weights[t];
    std::string text = piece.text;
    if (numbered.count(t) > 0) {
      text += " " + row.number(weight, std::max(1, row.decimals - 2));
      if (row.form == Form::Marked) text = fmt::format("{{{}}}", text);
    }
    const std::string printed = painted_token(text, row.share(t), format.colour);
    // A piece longer than a line is cut, so that nothing runs past the edge.
    const int room = format.width - 2;
    if (text_width(text) <= room)
      pieces.push_back({piece.before, printed, text_width(text)});
    else
      for (TextPiece::Before before = piece.before; const std::string& part : cut_to_columns(text, room)) {
        pieces.push_back({before, painted_token(part, row.share(t), format.colour), text_width(part)});
        before = TextPiece::Before::Nothing;
      }
    ++t;
  }
  return running_lines(pieces, format.width);
}

std::string bars_view(const Report& report, const Row& row, const TerminalFormat& format) {
  const auto& tokens = report.prediction.units;
  const std::size_t count = std::min(tokens.size(), row.weights.size());
  int widest = 5, digits = 0;
  for (std::size_t t = 0; t < count; ++t) {
    widest = std::max(widest, text_width(token_word(tokens[t])));
    if (!std::isnan(row.weights[t]))
      digits = std::max(digits, static_cast<int>(row.number(row.weights[t], row.decimals).size()));
  }
  widest = std::min(widest, std::max(8, format.width / 3));
  std::string out;
  for (std::size_t t = 0; t < count; ++t) {
    const std::string name = fitted(token_word(tokens[t]), widest);
    if (std::isnan(row.weights[t])) {
      out += fmt::format("  {}  –\n", name);
      continue;
    }
    const int room = std::clamp(format.width - widest - digits - 8, 4, 30);
    std::string line = fmt::format("  {}  {:>{}}  {}", name, row.number(row.weights[t], row.decimals), digits,
                                   bar(row.share(t), room));
    out += line.erase(line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

// Patches as a square of cells, two columns wide if there is room.
std::string patch_grid(const Report& report, const Row& row, const TerminalFormat& format) {
  const Sequence& patches = *patches_of(report.prediction);
  const auto first = static_cast<std::size_t>(first_patch(patches));
  const auto height = static_cast<std::size_t>(patches.rows),
             width = static_cast<std::size_t>(patches.columns);
  const int columns = static_cast<int>(2 * width) + 2 <= format.width ? 2 : 1;
  static const char* const shades[] = {" ", "░", "▒", "▓", "█"};
  std::string out;
  for (std::size_t y = 0; y < height; ++y) {
    out += "  ";
    for (std::size_t x = 0; x < width && first + y * width + x < row.weights.size(); ++x) {
      const double share = row.share(first + y * width + x);
      std::string cell;
      for (int c = 0; c < columns; ++c)
        cell += format.colour == Colour::None
                    ? shades[static_cast<std::size_t>(std::lround(std::clamp(std::abs(share), 0.0, 1.0) * 4))]
                    : " ";
      out += painted(cell, share, format.colour);
    }
    out += '\n';
  }
  return out;
}

// "-1.7724 ▒▒▒▒▒▒▒▒ +1.7724  blue counts for POSITIVE, orange against it"
std::string colour_legend(const Report& report, const Attribution& attribution, const Row& row,
                          const TerminalFormat& format) {
  constexpr int cells = 9;
  const std::string low = row.has_sign ? row.number(-row.scale, row.decimals) : "0";
  const std::string high = row.number(row.scale, row.decimals);
  const int ends = text_width(low) + text_width(high) + 6;  // the numbers and the spaces around them
  const std::string cell(ends + 2 * cells <= format.width && !format.brief ? 2 : 1, ' ');
  std::string ramp;
  for (int i = 0; i < cells; ++i) {
    const double along = i / (cells - 1.0);
    ramp += painted(cell, row.has_sign ? 2 * along - 1 : along, format.colour);
  }
  std::string text = row.has_sign ? sign_text(report, attribution, "blue", "orange") : "";
  if (text.empty() || !format.brief)
    text += std::string(text.empty() ? "" : "; ") + "scaled to the strongest " +
            (is_picture(report) ? "patch" : "word");
  const int used = ends + cells * static_cast<int>(cell.size());
  std::string out = fmt::format("  {} {} {}", low, ramp, high);
  if (used + text_width(text) <= format.width) return out + "  " + dim(text, format.colour) + "\n";
  return out + "\n" + dim(paragraph(text, {.first = 2, .rest = 2, .width = format.width}), format.colour);
}

std::string plain_legend(const Report& report, const Attribution& attribution, const Row& row,
                         const TerminalFormat& format) {
  std::string text;
  if (row.form == Form::Marked)
    text = fmt::format("in braces the {} strongest of {} tokens", strongest(row.weights).size(),
                       row.weights.size());
  if (row.has_sign && row.form != Form::Picture)
    text +=
        (text.empty() ? "" : "; ") + (row.form == Form::Marked ? sign_text(report, attribution, "+", "-")
                                                               : sign_text(report, attribution, "█", "▒"));
  const auto left_out = std::count(attribution.measured.begin(), attribution.measured.end(), false);
  if (left_out > 0 && row.form == Form::Bars)
    text += (text.empty() ? "" : "; ") + std::string("– was not measured");
  if (text.empty()) return {};
  return paragraph(text, {.first = 2, .rest = 2, .width = format.width});
}

// "L3  not 0.2214  bad 0.1807  [CLS] 0.1010"
std::string layer_line(const Report& report, const Attribution& attribution, Index layer,
                       const TerminalFormat& format) {
  const std::vector<double> weights = weights_of(report, attribution, layer, format);
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto value = [&](std::size_t t) { return std::isnan(weights[t]) ? -1.0 : std::abs(weights[t]); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return value(a) > value(b); });
  const int decimals = decimals_for(weights);
  std::string out = fmt::format("  {:<4}", fmt::format("L{}", layer));
  for (std::size_t i = 0; i < std::min<std::size_t>(3, order.size()); ++i) {
    if (value(order[i]) < 0) continue;
    const std::string item =
        fmt::format("  {} {:.{}f}", fitted(unit_name(report, order[i]), 12), weights[order[i]], decimals);
    if (i > 0 && text_width(out) + text_width(item) > format.width) break;
    out += item;
  }
  while (out.back() == ' ') out.pop_back();
  return out + "\n";
}

std::string header(const std::string& method, const std::string& text, const TerminalFormat& format) {
  const std::string lines = paragraph(method + "  " + text, {.first = 0, .rest = 2, .width = format.width});
  // The name is alone at the front, whatever was wrapped after it.
  return "\n" + bold(method, format.colour) + dim(lines.substr(method.size()), format.colour);
}

}  // namespace

std::string bar(double share, int columns) {
  if (share < 0) {
    std::string out;
    for (auto i = std::lround(std::min(1.0, -share) * columns); i > 0; --i) out += "▒";
    return share < -1 - 1e-9 ? out + "▶" : out;
  }
  static const char* const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * columns * 8));
  std::string out;
  for (int i = 0; i < eighths / 8; ++i) out += "█";
  out += share > 1 + 1e-9 ? "▶" : parts[eighths % 8];
  return out;
}

std::string scores_view(const Report& report, const Attribution& attribution, const TerminalFormat& format) {
  const Row row = shown_row(report, attribution, format);
  const bool plain = format.colour == Colour::None;
  std::string what = asked(report, attribution, row, format);
  if (plain)
    what += fmt::format(", scale {} … {} (strongest {})",
                        row.has_sign ? row.number(-row.scale, row.decimals) : "0",
                        row.number(row.scale, row.decimals), is_picture(report) ? "patch" : "word");
  std::string out = header(name_of(attribution), what, format);
  if (row.form == Form::Picture)
    out += patch_grid(report, row, format);
  else
    out += row.form == Form::Bars ? bars_view(report, row, format) : running_view(report, row, format);
  out += plain ? plain_legend(report, attribution, row, format)
               : colour_legend(report, attribution, row, format);
  const Index layers = layer_count(attribution);
  if (layers > 1)
    out += dim(is_picture(report) ? "  strongest by layer (row, column)\n" : "  strongest by layer\n",
               format.colour);
  for (Index layer = 0; layers > 1 && layer < layers; ++layer)
    out += layer_line(report, attribution, layer, format);
  const std::optional<Account>& account = attribution.accounted;
  if (!format.brief) {
    std::vector<std::string> notes = attribution.notes;
    if (account) notes.insert(notes.begin(), account_text(*account));
    return out + checks_text(attribution.checks, notes, format);
  }
  // A tick alone would not tell that the scores account for little, or for too much.
  if (account && !(std::abs(share_of(*account) - 1) <= 0.05))
    out +=
        dim(paragraph(account_text(*account), {.first = 2, .rest = 2, .width = format.width}), format.colour);
  return out + checks_summary(attribution.checks, attribution.notes, format);
}

}  // namespace headwater
