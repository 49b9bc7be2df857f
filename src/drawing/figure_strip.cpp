// The text with every token coloured by its score: one row per method, each with its own scale, and below
// several methods a row that shows their disagreement. Right-to-left lines are laid out from the right, and
// Latin words in them stay readable.
//
// The disagreement on a token is the spread of its ranks: of n absolute values |w| the r-th smallest has the
// rank (r − 1)/(n − 1), ties have their mean, and the spread is the highest rank minus the lowest. At least
// two methods must have measured the token.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "drawing/chart.h"
#include "drawing/colours.h"
#include "drawing/figure.h"
#include "drawing/reading_order.h"
#include "drawing/tips.h"
#include "numerics/rank_correlation.h"
#include "result/rows.h"
#include "result/running_text.h"
#include "result/sentence.h"
#include "result/text_width.h"

namespace headwater {

namespace {

constexpr double strip_width = 760, strip_left = 170, strip_top = 60, strip_line = 25, strip_text = 13,
                 strip_gap = 16, strip_foot = 62;

constexpr std::size_t least_compared = 3;  // for two methods τ suffices
constexpr Rgb differ_ink{0xc2, 0x57, 0x0c};

struct StripRow {
  const Attribution& result;
  std::vector<double> weights;
  double scale;
  std::string whose;  // for the tips
};

struct StripBox {
  double x, y, width;
  bool from_right;
};

// A piece, or the space between two pieces (`piece` is then none).
struct StripEntry {
  std::size_t piece;
  double width;
  int level;
  bool may_begin =
      false;  // whether a row may begin here: after a space, or between letters of a script without spaces
};
constexpr std::size_t no_piece = static_cast<std::size_t>(-1);
constexpr double strip_space = 4, strip_room = strip_width - strip_left - sheet_edge - 70;

double text_size(bool special) {
  return special ? strip_text - 2 : strip_text;
}

// The pieces from `begin` on up to the next line break, with the spaces between them and their levels.
struct StripLine {
  std::vector<StripEntry> entries;
  bool right = false;
  std::size_t end = 0;
};

bool is_wide(const std::string& text) {
  return !upright_letters(text).empty();  // Chinese, Japanese, Korean
}

StripLine line_from(const Report& report, const std::vector<TextPiece>& pieces, std::size_t begin) {
  StripLine line;
  std::vector<std::string> letters;
  for (std::size_t p = begin; p < pieces.size(); ++p) {
    if (p > begin && pieces[p].before == TextPiece::Before::Line) break;
    if (p > begin && pieces[p].before == TextPiece::Before::Space) {
      line.entries.push_back({no_piece, strip_space, 0});
      letters.emplace_back(" ");
    }
    const bool special = report.prediction.units[p].special;
    const bool apart = line.entries.empty() || line.entries.back().piece == no_piece;
    line.entries.push_back({p, drawn_width(pieces[p].text, text_size(special)) + 8, 0,
                            apart || is_wide(pieces[p].text) || is_wide(pieces[p - 1].text)});
    letters.push_back(special ? "" : pieces[p].text);  // special tokens decide no direction
    line.end = p + 1;
  }
  const ReadingLevels reading = reading_levels(letters);
  line.right = reading.right;
  for (std::size_t e = 0; e < letters.size(); ++e) line.entries[e].level = reading.levels[e];
  return line;
}

// A word's pieces stay together if they fit into a row.
double word_width(const StripLine& line, std::size_t begin) {
  double width = line.entries[begin].width;
  for (std::size_t e = begin + 1; e < line.entries.size(); ++e) {
    if (line.entries[e].piece == no_piece || line.entries[e].may_begin) break;
    width += line.entries[e].width;
  }
  return width;
}

// One row of a line, from its left; right-to-left rows end at the right edge.
void place_row(std::span<const StripEntry> row, bool right, double y, std::vector<StripBox>& boxes) {
  std::vector<int> levels;
  double width = 0;
  for (const StripEntry& entry : row) {
    levels.push_back(entry.level);
    width += entry.width;
  }
  double x = right ? std::max(0.0, strip_room - width) : 0;
  for (const std::size_t e : visual_order(levels)) {
    if (row[e].piece != no_piece) boxes[row[e].piece] = {x, y, row[e].width - 1, row[e].level % 2 == 1};
    x += row[e].width;
  }
}

// The position of each piece, and the number of lines.
double place_boxes(const Report& report, const std::vector<TextPiece>& pieces, std::vector<StripBox>& boxes) {
  boxes.resize(pieces.size());
  double y = 0;
  for (std::size_t begin = 0; begin < pieces.size();) {
    const StripLine line = line_from(report, pieces, begin);
    std::size_t from = 0;  // the beginning of the row
    double x = 0;
    const auto end_row = [&](std::size_t end) {
      place_row(std::span(line.entries).subspan(from, end - from), line.right, y, boxes);
      y += strip_line;
      from = end;
      x = 0;
    };
    for (std::size_t e = 0; e < line.entries.size(); ++e) {
      const StripEntry& entry = line.entries[e];
      const double word = entry.may_begin ? word_width(line, e) : entry.width;
      if (entry.piece != no_piece && e > from && x + (word <= strip_room ? word : entry.width) > strip_room) {
        end_row(line.entries[e - 1].piece == no_piece ? e - 1 : e);
        from = e;  // without the space
      }
      x += entry.width;
    }
    end_row(line.entries.size());
    begin = line.end;
  }
  return y;
}

// τ-b with the first method, from the report.
std::string agreement_with_first(const Report& report, const Attribution& result) {
  for (const Agreement& pair : report.agreement)
    if (pair.first == name_of(report.attributions.front()) && pair.second == name_of(result))
      return std::isfinite(pair.whole_kendall)
                 ? fmt::format("τ {}{:.2f}", pair.whole_kendall < 0 ? "−" : "", std::abs(pair.whole_kendall))
                 : "τ –";
  return {};
}

std::vector<StripRow> strip_rows(const Report& report, const FigureOptions& options) {
  std::vector<StripRow> rows;
  for (const Attribution& result : report.attributions) {
    if (!options.method.empty() && name_of(result) != options.method) continue;
    const Index layer = options.layer >= 0 ? options.layer : shown_layer(report, result);
    if (result.scores().empty() || layer >= layer_count(result)) continue;
    std::vector<double> weights = answer_weights(report, result, layer);
    const double scale = row_scale(report, result, weights);
    rows.push_back({result, std::move(weights), scale, scores_words(report, result, layer)});
  }
  if (rows.empty())
    throw InputError("plot: expected a score per token for a strip, found none; --layer and --method choose");
  return rows;
}

void draw_strip(Svg& svg, double y, const StripRow& row, const Report& report,
                const std::vector<TextPiece>& pieces, const std::vector<StripBox>& boxes) {
  const Attribution& result = row.result;
  svg.text({sheet_edge, y + 15}, cut_to_width(name_of(result), 12, strip_left - sheet_edge - 10),
           {.size = 12, .bold = true});
  svg.text({sheet_edge, y + 29}, fmt::format("darkest: {:.3g}", row.scale), small_text());
  for (std::size_t t = 0; t < pieces.size(); ++t) {
    const double weight = row.weights[t];
    const bool known = std::isfinite(weight);
    const Rgb back = known ? colour_of(row.scale > 0 ? weight / row.scale : 0) : Rgb{0xff, 0xff, 0xff};
    const Box box{strip_left + boxes[t].x, y + boxes[t].y, boxes[t].width, strip_line - 5};
    const bool special = report.prediction.units[t].special;
    svg.rect(
        box, back,
        score_tip(row.whose, in_quotes(report.prediction.units[t]), weight, has_axis(result, Axis::Query)));
    svg.text({box.x + box.width / 2, box.y + 14.5}, pieces[t].text,
             {.anchor = TextStyle::Anchor::Middle,
              .size = text_size(special),
              .colour = known ? text_on(back) : soft_ink,
              .from_right = boxes[t].from_right && !special});
    if (known && weight < 0)  // never by colour alone
      svg.line({box.x + 3, box.y + 17.5}, {box.x + box.width - 3, box.y + 17.5},
               {.colour = text_on(back), .width = 0.8, .dashes = "2 2"});
  }
  svg.text({svg.width() - sheet_edge, y + 15}, agreement_with_first(report, result),
           small_text(TextStyle::Anchor::End));
}

std::vector<double> spread_of_ranks(const std::vector<StripRow>& rows) {
  const std::size_t count = rows.front().weights.size();
  constexpr double none = std::numeric_limits<double>::infinity();
  std::vector<double> low(count, none), high(count, -none);
  std::vector<int> methods(count, 0);
  for (const StripRow& row : rows) {
    std::vector<double> sizes;
    std::vector<std::size_t> known;
    for (std::size_t t = 0; t < count; ++t)
      if (std::isfinite(row.weights[t])) {
        sizes.push_back(std::abs(row.weights[t]));
        known.push_back(t);
      }
    if (known.size() < 2) continue;
    const std::vector<double> ranks = average_ranks(sizes);
    for (std::size_t i = 0; i < known.size(); ++i) {
      const double place = (ranks[i] - 1) / static_cast<double>(known.size() - 1);
      low[known[i]] = std::min(low[known[i]], place);
      high[known[i]] = std::max(high[known[i]], place);
      ++methods[known[i]];
    }
  }
  std::vector<double> spread(count, NAN);
  for (std::size_t t = 0; t < count; ++t)
    if (methods[t] > 1) spread[t] = high[t] - low[t];
  return spread;
}

void draw_disagreement(Svg& svg, double y, const std::vector<StripRow>& rows, const Report& report,
                       const std::vector<TextPiece>& pieces, const std::vector<StripBox>& boxes) {
  const std::vector<double> spread = spread_of_ranks(rows);
  svg.text({sheet_edge, y + 15}, "disagreement", {.size = 12, .bold = true});
  svg.text({sheet_edge, y + 29}, "thicker: further apart", small_text());
  for (std::size_t t = 0; t < pieces.size(); ++t) {
    const Box box{strip_left + boxes[t].x, y + boxes[t].y, boxes[t].width, strip_line - 5};
    const bool special = report.prediction.units[t].special;
    if (std::isfinite(spread[t])) {
      const double thick = 0.4 + 5 * spread[t] * spread[t];
      svg.rect(
          {box.x + 1, box.y + box.height - thick, box.width - 2, thick}, differ_ink,
          fmt::format("disagreement: {} {}", in_quotes(report.prediction.units[t]), shown_number(spread[t])));
    }
    svg.text({box.x + box.width / 2, box.y + 13}, pieces[t].text,
             {.anchor = TextStyle::Anchor::Middle,
              .size = text_size(special),
              .colour = special ? soft_ink : TextStyle{}.colour,
              .from_right = boxes[t].from_right && !special});
  }
}

}  // namespace

std::string strip_figure(const Report& report, const FigureOptions& options, const std::string& metadata) {
  if (patches_of(report.prediction) != nullptr)
    throw InputError("plot: expected a text for a strip, found a picture; --kind overlay draws those");
  const std::vector<StripRow> rows = strip_rows(report, options);
  const std::vector<TextPiece> pieces = pieces_of(report);
  std::vector<StripBox> boxes;
  const double tall = std::max(place_boxes(report, pieces, boxes), 32.0) + strip_gap;
  const bool compared = rows.size() >= least_compared;
  const auto count = static_cast<double>(rows.size() + (compared ? 1 : 0));
  std::vector<const Attribution*> shown;
  for (const StripRow& row : rows) shown.push_back(&row.result);
  const std::string sentence = sentence_over(report, shown, options.layer);
  Svg svg(strip_width, strip_top + tall * count + strip_foot, sentence);
  draw_sheet(svg, sentence, {}, report.record);
  bool has_sign = false;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    draw_strip(svg, strip_top + tall * static_cast<double>(r), rows[r], report, pieces, boxes);
    has_sign |= std::any_of(rows[r].weights.begin(), rows[r].weights.end(), [](double v) { return v < 0; });
  }
  if (compared)
    draw_disagreement(svg, strip_top + tall * static_cast<double>(rows.size()), rows, report, pieces, boxes);
  draw_colour_bar(svg, {sheet_edge, svg.height() - strip_foot + 16}, has_sign, "1",
                  has_sign ? "as a share of each row's darkest token; orange, underlined, counts against"
                           : "as a share of each row's darkest token");
  return svg.str(metadata);
}

}  // namespace headwater
