#include "result/running_text.h"

#include "result/text_width.h"

namespace headwater {

namespace {

using Before = TextPiece::Before;

constexpr int margin_columns = 2;

std::string_view gap_between(const std::string& source, const Unit& first, const Unit& second) {
  const bool inside = first.end <= second.begin && second.begin <= static_cast<Index>(source.size());
  if (!inside) return {};
  return std::string_view(source).substr(static_cast<std::size_t>(first.end),
                                         static_cast<std::size_t>(second.begin - first.end));
}

Before before_of(const Report& report, const Unit& last, const Unit& token) {
  if (last.sequence != token.sequence) return Before::Line;
  if (last.segment != token.segment && !token.special) return Before::Line;
  if (last.special || token.special) return Before::Space;
  const std::string& source = token.sequence > 0  ? report.prefix
                              : token.segment > 0 ? report.pair
                                                  : report.text;
  const std::string_view gap = gap_between(source, last, token);
  if (gap.find('\n') != std::string_view::npos || last.text.find('\n') != std::string::npos)
    return Before::Line;
  const bool own_space =
      token.text.starts_with(' ') && token.text.find_first_not_of(' ') != std::string::npos;
  return own_space || token.begin != last.end ? Before::Space : Before::Nothing;
}

}  // namespace

std::string token_text(const Unit& token) {
  std::string text = terminal_safe(token.text);
  return text.empty() ? "␣" : text;
}

std::string token_word(const Unit& token) {
  const std::string text = token_text(token);
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "␣" : text.substr(first);
}

std::vector<TextPiece> pieces_of(const Report& report) {
  std::vector<TextPiece> pieces;
  const Unit* last = nullptr;
  for (const Unit& token : report.prediction.units) {
    pieces.push_back(
        {last == nullptr ? Before::Nothing : before_of(report, *last, token), token_word(token)});
    last = &token;
  }
  return pieces;
}

std::string running_lines(const std::vector<PrintedPiece>& pieces, int width) {
  const std::string margin(margin_columns, ' ');
  std::string out = margin;
  int column = margin_columns;
  const auto next_line = [&] {
    out += "\n" + margin;
    column = margin_columns;
  };
  for (std::size_t begin = 0, end = 0; begin < pieces.size(); begin = end) {
    int word = 0;
    for (end = begin; end < pieces.size() && (end == begin || pieces[end].before == Before::Nothing); ++end)
      word += pieces[end].columns;
    const int space = pieces[begin].before == Before::Space ? 1 : 0;
    if (pieces[begin].before == Before::Line || (column > margin_columns && column + space + word > width)) {
      if (column > margin_columns) next_line();
    } else if (space > 0 && column > margin_columns) {
      out += ' ';
      ++column;
    }
    for (std::size_t p = begin; p < end; ++p) {
      if (column > margin_columns && column + pieces[p].columns > width) next_line();
      out += pieces[p].printed;
      column += pieces[p].columns;
    }
  }
  return out + "\n";
}

}  // namespace headwater
