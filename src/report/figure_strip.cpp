// The text as it is read, every token on the colour of its score: a row per method, on a scale of its own. A
// line whose first letter is written from the right begins at the right; a Latin word in it stays readable.
#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "report/chart.h"
#include "report/colours.h"
#include "report/figure.h"
#include "report/focus.h"
#include "report/reading_order.h"
#include "report/running_text.h"

namespace headwater {

namespace {

constexpr double strip_width = 760, strip_left = 170, strip_top = 60, strip_line = 25, strip_text = 13,
                 strip_gap = 16, strip_foot = 62;

struct StripRow {
  const Attribution& result;
  std::vector<double> weights;
  double scale;
};

struct StripBox {
  double x, y, width;
  bool from_right;
};

// A piece, or the space between two (`piece` is then none).
struct StripEntry {
  std::size_t piece;
  double width;
  int level;
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
    line.entries.push_back({p, drawn_width(pieces[p].text, text_size(special)) + 8, 0});
    letters.push_back(special ? "" : pieces[p].text);  // special tokens decide no direction
    line.end = p + 1;
  }
  const ReadingLevels reading = reading_levels(letters);
  line.right = reading.right;
  for (std::size_t e = 0; e < letters.size(); ++e) line.entries[e].level = reading.levels[e];
  return line;
}

// One row of a line, from its left: those from the right end at the right edge.
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

// Where each piece stands, and how many lines that takes.
double placed(const Report& report, const std::vector<TextPiece>& pieces, std::vector<StripBox>& boxes) {
  boxes.resize(pieces.size());
  double y = 0;
  for (std::size_t begin = 0; begin < pieces.size();) {
    const StripLine line = line_from(report, pieces, begin);
    std::size_t from = 0;  // where the row begins
    double x = 0;
    const auto end_row = [&](std::size_t end) {
      place_row(std::span(line.entries).subspan(from, end - from), line.right, y, boxes);
      y += strip_line;
      from = end;
      x = 0;
    };
    for (std::size_t e = 0; e < line.entries.size(); ++e) {
      const StripEntry& entry = line.entries[e];
      if (entry.piece != no_piece && e > from && x + entry.width > strip_room) {
        const bool after_space = line.entries[e - 1].piece == no_piece;
        end_row(after_space ? e - 1 : e);
        from = e;  // without the space
      }
      x += entry.width;
    }
    end_row(line.entries.size());
    begin = line.end;
  }
  return y;
}

// τ-b with the first method, as the report has it.
std::string agreement_with_first(const Report& report, const Attribution& result) {
  for (const Agreement& pair : report.agreement)
    if (pair.first == name_of(report.attributions.front()) && pair.second == name_of(result))
      return std::isfinite(pair.whole_kendall) ? fmt::format("τ {:.2f}", pair.whole_kendall) : "τ –";
  return {};
}

std::vector<StripRow> rows_of(const Report& report, const FigureOptions& options) {
  std::vector<StripRow> rows;
  for (const Attribution& result : report.attributions) {
    if (!options.method.empty() && name_of(result) != options.method) continue;
    const Index layer = options.layer >= 0 ? options.layer : shown_layer(report, result);
    if (result.scores().empty() || layer >= layer_count(result)) continue;
    std::vector<double> weights = answer_weights(report, result, layer);
    const double scale = word_scale(report, weights);
    rows.push_back({result, std::move(weights), scale});
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
    svg.rect(box, back,
             fmt::format("{}: {}", pieces[t].text, known ? fmt::format("{:+.4g}", weight) : "not measured"));
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

}  // namespace

std::string strip_figure(const Report& report, const FigureOptions& options, const std::string& metadata) {
  if (patches_of(report.prediction) != nullptr)
    throw InputError("plot: expected a text for a strip, found a picture; --kind overlay draws those");
  const std::vector<StripRow> rows = rows_of(report, options);
  const std::vector<TextPiece> pieces = pieces_of(report);
  std::vector<StripBox> boxes;
  const double tall = std::max(placed(report, pieces, boxes), 32.0) + strip_gap;
  Svg svg(strip_width, strip_top + tall * static_cast<double>(rows.size()) + strip_foot, sentence_of(report));
  draw_sheet(svg, sentence_of(report), {}, report.record);
  bool has_sign = false;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    draw_strip(svg, strip_top + tall * static_cast<double>(r), rows[r], report, pieces, boxes);
    has_sign |= std::any_of(rows[r].weights.begin(), rows[r].weights.end(), [](double v) { return v < 0; });
  }
  draw_colour_bar(svg, {sheet_edge, svg.height() - strip_foot + 16}, has_sign, "1",
                  has_sign ? "as a share of each row's darkest word; orange, underlined, counts against"
                           : "as a share of each row's darkest word");
  return svg.str(metadata);
}

}  // namespace headwater
