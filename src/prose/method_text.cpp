#include "prose/method_text.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/records.h>

#include "files/record_fields.h"
#include "files/schema.h"
#include "methods/method.h"

namespace headwater {

std::vector<std::string> claims_of(const Method& method) {
  std::vector<std::string> claims;
  if (method.claims.rows_sum_to_one) claims.emplace_back("rows sum to 1");
  if (method.claims.nonnegative) claims.emplace_back("no score is negative");
  if (method.claims.causal) claims.emplace_back("nothing flows from later tokens in causal models");
  return claims;
}

namespace {

std::string heading(Question question) {
  std::string text(text_of(question));
  text.front() = static_cast<char>(std::toupper(text.front()));
  return text;
}

std::string markdown_of(const Method& method) {
  std::string page =
      fmt::format("\n### {}\n\n{}\n\n`{}`\n\n- **Paper.** {}\n- **Cost.** {}\n- **Limits.** {}\n",
                  method.name, method.summary, method.formula, method.paper, method.cost, method.limits);
  if (!method.aliases.empty())
    page += fmt::format("- **Also called.** {}.\n", fmt::join(method.aliases, ", "));
  if (const auto claims = claims_of(method); !claims.empty())
    page += fmt::format("- **Promises.** {}.\n", fmt::join(claims, "; "));
  if (method.options.empty()) return page;
  page += "\n| option | values | default | |\n|---|---|---|---|\n";
  for (const MethodOption& option : method.options) {
    std::string values(option.type);
    for (std::size_t at = 0; (at = values.find('|', at)) != std::string::npos; at += 2)
      values.insert(at, 1, '\\');
    page += fmt::format("| `{}` | {} | {} | {} |\n", option.name, values, option.otherwise, option.help);
  }
  return page;
}

}  // namespace

std::string methods_table() {
  std::size_t width = 0;
  for (const Method* method : all_methods()) width = std::max(width, method->name.size());
  std::string table;
  for (const Question question : all_questions) {
    table += fmt::format("{}{}\n", table.empty() ? "" : "\n", heading(question));
    for (const Method* method : methods_asked(question))
      table += fmt::format("{:<{}}  {}\n", method->name, width, method->summary);
  }
  return table;
}

std::string method_page(const Method& method) {
  std::string page = fmt::format("{}\n  {}\n", method.name, method.summary);
  const auto add = [&page](std::string_view title, std::string_view text) {
    if (!text.empty()) page += fmt::format("\n{}\n  {}\n", title, text);
  };
  add("Also known as", fmt::format("{}", fmt::join(method.aliases, ", ")));
  add("Formula", method.formula);
  add("Paper", method.paper);
  add("Cost", method.cost);
  add("Limits", method.limits);
  add("Promises", fmt::format("{}", fmt::join(claims_of(method), "; ")));
  if (!method.options.empty()) page += "\nOptions\n";
  for (const MethodOption& option : method.options) {
    std::string flag(option.name);
    std::replace(flag.begin(), flag.end(), '_', '-');
    page +=
        fmt::format("  --{} {} (default {})\n      {}\n", flag, option.type, option.otherwise, option.help);
  }
  return page;
}

std::string methods_markdown() {
  std::string page =
      "# Methods\n\n`headwater methods --format markdown` writes this page from the records of the "
      "methods.\n";
  for (const Question question : all_questions) {
    page += fmt::format("\n## {}\n", heading(question));
    for (const Method* method : methods_asked(question)) page += markdown_of(*method);
  }
  return page;
}

std::string methods_json() {
  return dump(FieldWriter::json_of_value(method_records()), 2) + "\n";
}

std::string method_json(const Method& method) {
  for (const MethodRecord& record : method_records())
    if (record.name == method.name) return dump(FieldWriter::json_of_value(record), 2) + "\n";
  throw InternalError(fmt::format("methods: expected a record of {}, found none", method.name));
}

}  // namespace headwater
