#include "prose/check_writer.h"

#include <algorithm>

#include <fmt/format.h>

#include "result/text_width.h"

namespace headwater {
namespace {

std::string size_line(const ModelTest& test) {
  const ModelInfo& info = test.model;
  std::vector<std::string> stacks;
  for (const Stack& stack : info.stacks)
    stacks.push_back(fmt::format("{}{} layers of {} heads", info.stacks.size() > 1 ? stack.name + " of " : "",
                                 stack.layers, stack.heads));
  return fmt::format("{}: {}, width {}, {}", info.architecture, fmt::join(stacks, ", "), info.last().width,
                     name_of(info.dtype));
}

std::string mark_of(const TestedProperty& property) {
  if (!property.applies) return "–";
  return property.passed ? "✓" : "✗";
}

// What a terminal shows of a property.
void add_lines(std::vector<DocumentLine>& lines, const TestedProperty& property) {
  lines.push_back({fmt::format("{} {}: {}", mark_of(property), property.name, property.promise), 2, 4});
  lines.push_back({property.applies ? fmt::format("{:.1e}, bound {:.1e} ({})", property.value, property.bound,
                                                  property.measured)
                                    : "not tested: " + property.reason,
                   4, 4});
  if (!property.passed) lines.push_back({"worst input: " + terminal_safe(property.worst), 4, 4});
}

std::string verdict_of(const ModelTest& test) {
  const auto failed = std::count_if(test.properties.begin(), test.properties.end(),
                                    [](const TestedProperty& p) { return !p.passed; });
  const auto tested = std::count_if(test.properties.begin(), test.properties.end(),
                                    [](const TestedProperty& p) { return p.applies; });
  if (failed == 0) return fmt::format("All {} properties tested hold.", tested);
  return fmt::format("{} of {} properties tested do not hold: do not trust explanations of this model.",
                     failed, tested);
}

}  // namespace

Document check_document(const ModelTest& test, const std::string& command) {
  Document document{.title = size_line(test), .record = test.record, .command = command};
  DocumentTable table{.header = {"holds", "property", "promise", "value", "bound", "measured", "worst input"},
                      .rows = {},
                      .right = "lllrr"};
  for (const TestedProperty& property : test.properties) {
    const bool applies = property.applies;
    table.rows.push_back(
        {!applies          ? "not tested"
         : property.passed ? "yes"
                           : "no",
         property.name, property.promise, applies ? fmt::format("{:.1e}", property.value) : "",
         applies ? fmt::format("{:.1e}", property.bound) : "", applies ? property.measured : property.reason,
         property.passed ? "" : visible(property.worst)});
    add_lines(table.instead, property);
  }
  const bool texts = test.model.vocabulary > 0;
  document.parts = {DocumentLine{document.title, 0},
                    DocumentLine{fmt::format("tested on {} {}{}, the longest of {} {}", test.inputs.size(),
                                             texts ? "text" : "picture", test.inputs.size() == 1 ? "" : "s",
                                             test.longest, texts ? "tokens" : "patches"),
                                 0},
                    DocumentLine{},
                    std::move(table),
                    DocumentLine{},
                    DocumentLine{verdict_of(test), 0}};
  document.json = [=] { return check_json(test, command); };
  return document;
}

}  // namespace headwater
