#include "prose/check_writer.h"

#include <algorithm>

#include <fmt/format.h>

#include "prose/provenance.h"
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

std::string property_text(const TestedProperty& property, const TerminalFormat& format) {
  std::string out = paragraph(fmt::format("{} {}: {}", mark_of(property), property.name, property.promise),
                              {.first = 2, .rest = 4, .width = format.width});
  const std::string detail = property.applies ? fmt::format("{:.1e}, bound {:.1e} ({})", property.value,
                                                            property.bound, property.measured)
                                              : "not tested: " + property.reason;
  out += paragraph(detail, {.first = 4, .rest = 4, .width = format.width});
  if (!property.passed)
    out += paragraph("worst input: " + terminal_safe(property.worst),
                     {.first = 4, .rest = 4, .width = format.width});
  return out;
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

std::string check_page(const ModelTest& test, const std::string& command, const TerminalFormat& format) {
  const ParagraphFormat lines{.width = format.width};
  std::string out = paragraph(size_line(test), lines);
  out += paragraph(
      fmt::format("tested on {} {}{}, the longest of {} {}", test.inputs.size(),
                  test.model.vocabulary > 0 ? "text" : "picture", test.inputs.size() == 1 ? "" : "s",
                  test.longest, test.model.vocabulary > 0 ? "tokens" : "patches"),
      lines);
  out += "\n";
  for (const TestedProperty& property : test.properties) out += property_text(property, format);
  out += "\n" + paragraph(verdict_of(test), lines);
  return out + record_text(test.record, format, command);
}

}  // namespace headwater
