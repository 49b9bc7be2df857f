#include "prose/document.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "drawing/svg.h"
#include "files/csv.h"
#include "prose/provenance.h"
#include "prose/table.h"
#include "result/sentence.h"
#include "result/text_width.h"

namespace headwater {

namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

std::string whole_cell(const DocumentCell& cell) {
  return cell.aside.empty() ? cell.text : cell.text + " " + cell.aside;
}

bool to_right(const DocumentTable& table, std::size_t column) {
  return column < table.right.size() && table.right[column] == 'r';
}

// Checks and notes as sentences.
std::vector<std::string> sentences_of(const DocumentChecks& part) {
  std::vector<std::string> all;
  for (const Check& check : part.checks)
    all.push_back(fmt::format("{} {} ({:.1e}, bound {:.1e})", check.passed ? "✓" : "✗", check.name,
                              check.value, check.bound));
  all.insert(all.end(), part.notes.begin(), part.notes.end());
  return all;
}

// Each form says how it writes a part; a form is the text of all parts, in order.
class InTerminal {
 public:
  explicit InTerminal(const TerminalFormat& format) : format_(format) {}

  std::string operator()(const DocumentLine& line) const {
    if (line.first < 0 || line.text.empty()) return line.text + "\n";
    return paragraph(line.text, {.first = line.first, .rest = line.rest, .width = format_.width});
  }
  std::string operator()(const DocumentTable& table) const {
    std::string text;
    for (const DocumentLine& line : table.instead) text += (*this)(line);
    if (!table.instead.empty()) return text;
    Table made{
        .header = table.header, .rows = {}, .right = table.right, .gap = table.gap, .colour = format_.colour};
    for (const auto& row : table.rows) {
      made.rows.emplace_back();
      made.shares.emplace_back();
      for (const DocumentCell& cell : row) {
        made.rows.back().push_back(whole_cell(cell));
        made.shares.back().push_back(cell.share);
      }
    }
    return made.str();
  }
  std::string operator()(const DocumentList& list) const {
    std::string text = list.title + "\n";
    for (const std::string& item : list.items) text += "  " + item + "\n";
    return text;
  }
  std::string operator()(const DocumentChecks& part) const {
    return checks_text(part.checks, part.notes, format_);
  }

 private:
  const TerminalFormat& format_;
};

std::string sentence(const std::string& text) {
  return text.empty() || text.find_last_of(".:!?") == text.size() - 1 ? text : text + ".";
}

struct InMarkdown {
  static std::string cell(std::string text) {
    text = trimmed(text);
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
      text.insert(at, 1, '\\');
    return text;
  }
  std::string operator()(const DocumentLine& line) const {
    return line.text.empty() ? "" : sentence(trimmed(line.text)) + "\n";
  }
  std::string operator()(const DocumentTable& table) const {
    const std::size_t columns =
        table.header.empty() && !table.rows.empty() ? table.rows.front().size() : table.header.size();
    std::string text = "|";
    for (std::size_t c = 0; c < columns; ++c)
      text += fmt::format(" {} |", c < table.header.size() ? cell(table.header[c]) : "");
    text += "\n|";
    for (std::size_t c = 0; c < columns; ++c) text += to_right(table, c) ? "---:|" : "---|";
    text += "\n";
    for (const auto& row : table.rows) {
      text += "|";
      for (const DocumentCell& one : row)
        text += fmt::format(" {0}{1}{0} |", one.best ? "**" : "", cell(whole_cell(one)));
      text += "\n";
    }
    return text;
  }
  std::string operator()(const DocumentList& list) const {
    std::string text = list.title + (list.title.find(": ") == std::string::npos ? ":\n\n" : "\n\n");
    for (const std::string& item : list.items) text += fmt::format("- {}\n", item);
    return text;
  }
  std::string operator()(const DocumentChecks& part) const {
    std::string text;
    for (const std::string& one : sentences_of(part)) text += (text.empty() ? "" : "\n") + one + "\n";
    return text;
  }
};

struct InLatex {
  static std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : trimmed(text)) {
      if (c == '_' || c == '%' || c == '&' || c == '#' || c == '$' || c == '{' || c == '}') out += '\\';
      out += c;
    }
    for (const auto& [from, to] : {std::pair("↑", "$\\uparrow$"), std::pair("↓", "$\\downarrow$")})
      if (const std::size_t at = out.find(from); at != std::string::npos)
        out.replace(at, std::string_view(from).size(), to);
    return out;
  }
  static std::string remark(const std::string& text) {
    return text.empty() ? "" : "% " + trimmed(text) + "\n";
  }

  std::string operator()(const DocumentLine& line) const { return remark(line.text); }
  std::string operator()(const DocumentTable& table) const {
    const std::size_t columns =
        table.header.empty() && !table.rows.empty() ? table.rows.front().size() : table.header.size();
    std::string text = "\\begin{tabular}{";
    for (std::size_t c = 0; c < columns; ++c) text += to_right(table, c) ? 'r' : 'l';
    text += "}\n\\toprule\n";
    for (std::size_t c = 0; c < table.header.size(); ++c)
      text += (c > 0 ? " & " : "") + escaped(table.header[c]);
    if (!table.header.empty()) text += " \\\\\n\\midrule\n";
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      if (table.ruled == r) text += "\\midrule\n";
      for (std::size_t c = 0; c < table.rows[r].size(); ++c) {
        const DocumentCell& cell = table.rows[r][c];
        text += c > 0 ? " & " : "";
        text += cell.best ? "\\textbf{" + escaped(cell.text) + "}" : escaped(cell.text);
        if (!cell.aside.empty()) text += fmt::format(" {{\\scriptsize {}}}", escaped(cell.aside));
      }
      text += " \\\\\n";
    }
    return text + "\\bottomrule\n\\end{tabular}\n";
  }
  std::string operator()(const DocumentList& list) const {
    std::string text = remark(list.title);
    for (const std::string& item : list.items) text += remark("- " + item);
    return text;
  }
  std::string operator()(const DocumentChecks& part) const {
    std::string text;
    for (const std::string& one : sentences_of(part)) text += remark(one);
    return text;
  }
};

struct InHtml {
  static std::string paragraph_of(const std::string& text) {
    return text.empty() ? "" : fmt::format("<p>{}</p>\n", xml_text(trimmed(text)));
  }
  std::string operator()(const DocumentLine& line) const { return paragraph_of(line.text); }
  std::string operator()(const DocumentTable& table) const {
    const auto begin = [&](const char* name, std::size_t column) {
      return fmt::format("<{}{}>", name, to_right(table, column) ? " class=\"r\"" : "");
    };
    std::string text = "<table>\n";
    if (!table.header.empty()) {
      text += "<tr>";
      for (std::size_t c = 0; c < table.header.size(); ++c)
        text += begin("th", c) + xml_text(trimmed(table.header[c])) + "</th>";
      text += "</tr>\n";
    }
    for (const auto& row : table.rows) {
      text += "<tr>";
      for (std::size_t c = 0; c < row.size(); ++c) {
        text += begin("td", c);
        text += fmt::format("{}{}{}", row[c].best ? "<b>" : "", xml_text(trimmed(row[c].text)),
                            row[c].best ? "</b>" : "");
        if (!row[c].aside.empty()) text += fmt::format(" <small>{}</small>", xml_text(row[c].aside));
        text += "</td>";
      }
      text += "</tr>\n";
    }
    return text + "</table>\n";
  }
  std::string operator()(const DocumentList& list) const {
    std::string text = paragraph_of(list.title) + "<ul>\n";
    for (const std::string& item : list.items) text += fmt::format("<li>{}</li>\n", xml_text(item));
    return text + "</ul>\n";
  }
  std::string operator()(const DocumentChecks& part) const {
    std::string text;
    for (const std::string& one : sentences_of(part)) text += paragraph_of(one);
    return text;
  }
};

// `titled`: the title stands before them, and is not repeated.
template <class Form>
std::string parts_in(const Document& document, const Form& form, bool titled, const char* between = "") {
  std::string text;
  for (const auto& part : document.parts) {
    if (const auto* line = std::get_if<DocumentLine>(&part); titled && line && line->text == document.title)
      continue;
    const std::string one = std::visit(form, part);
    if (!one.empty()) text += (text.empty() ? "" : between) + one;
  }
  return text;
}

std::string markdown_of(const Document& document) {
  std::string text = parts_in(document, InMarkdown{}, false, "\n");
  if (document.record)
    text += fmt::format("\n{}\n\n```\n{}\n```\n", record_line(*document.record), document.command);
  return text;
}

std::string latex_of(const Document& document) {
  std::string text = "% " + document.title + "\n";
  if (document.record) text += fmt::format("% {}\n% {}\n", record_line(*document.record), document.command);
  return text + parts_in(document, InLatex{}, true);
}

std::string html_of(const Document& document) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{0}</title>\n"
      "<style>body{{font:15px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em}}"
      "table{{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:1em 0}}"
      "td,th{{padding:.2em .8em;border-bottom:1px solid #ddd;text-align:left}}.r{{text-align:right}}"
      "pre{{white-space:pre-wrap}}</style>\n<h1>{0}</h1>\n",
      xml_text(document.title));
  text += parts_in(document, InHtml{}, true);
  if (document.record)
    text += fmt::format("<footer>{}<pre>{}</pre></footer>\n",
                        InHtml::paragraph_of(record_line(*document.record)), xml_text(document.command));
  return text + "</html>\n";
}

std::string csv_of(const Document& document) {
  if (document.csv) return document.csv();
  std::string text;
  const auto add = [&](const auto& cells, const auto& text_of) {
    for (std::size_t c = 0; c < cells.size(); ++c)
      text += (c > 0 ? "," : "") + csv_field(trimmed(text_of(cells[c])));
    text += "\n";
  };
  for (const auto& part : document.parts)
    if (const auto* table = std::get_if<DocumentTable>(&part)) {
      if (!table->header.empty()) add(table->header, [](const std::string& cell) { return cell; });
      for (const auto& row : table->rows) add(row, whole_cell);
    }
  return text;
}

}  // namespace

void DocumentTable::add_number_column(std::string title) {
  header.push_back(std::move(title));
  right.resize(header.size(), 'l');
  right.back() = 'r';
}

std::string formatted(const Document& document, std::string_view format, const TerminalFormat& terminal) {
  if (format == "markdown") return markdown_of(document);
  if (format == "latex") return latex_of(document);
  if (format == "csv") return csv_of(document);
  if (format == "json") return document.json();
  if (format == "html") return html_of(document);
  return parts_in(document, InTerminal(terminal), false) +
         (document.record ? record_text(*document.record, terminal, document.command) : "");
}

}  // namespace headwater
