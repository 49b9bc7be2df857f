// The Python lines that repeat a run: the options of the request (Report::asked) that differ from the
// defaults. JSON's spelling of a string is also Python's, as long as nothing beyond ASCII is escaped.
#include <fmt/format.h>

#include "explain/aggregate.h"
#include "files/report_fields.h"
#include "files/schema.h"
#include "page/page_document.h"

namespace headwater {

namespace {

std::string python_string(const std::string& text) {
  return dump(text, -1);
}

std::string python_method(const MethodSpec& spec) {
  if (spec.options.empty()) return python_string(spec.name);
  std::string options;
  for (const auto& [name, value] : spec.options)
    options +=
        fmt::format("{}{}: {}", options.empty() ? "" : ", ", python_string(name), python_string(value));
  return fmt::format("({}, {{{}}})", python_string(spec.name), options);
}

std::string python_call(const Report& report, const std::vector<MethodSpec>& methods,
                        const std::string& aggregate) {
  const Request& asked = report.asked;
  std::string list;
  for (const MethodSpec& spec : methods) list += (list.empty() ? "" : ", ") + python_method(spec);
  std::string call = fmt::format(
      "m.explain({}{}, [{}]", python_string(asked.input.image.empty() ? asked.input.text : asked.input.image),
      asked.input.spaced ? ".split()" : "", list);
  const auto add = [&](const char* name, const std::string& value) {
    call += fmt::format(", {}={}", name, value);
  };
  if (asked.input.pair) add("pair", python_string(*asked.input.pair));
  if (!asked.target.label.empty()) add("target", python_string(asked.target.label));
  if (!asked.target.contrast.empty()) add("contrast", python_string(asked.target.contrast));
  if (asked.target.position) add("position", std::to_string(*asked.target.position));
  if (!aggregate.empty()) add("aggregate", python_string(aggregate));
  if (!asked.input.prefix.empty()) add("prefix", python_string(asked.input.prefix));
  if (asked.input.generate > 0) add("generate", std::to_string(asked.input.generate));
  if (asked.input.truncate) add("truncate", "True");
  if (asked.verify) add("verify", "True");
  call += ')';
  const View& view = asked.view;
  if (view.unit == View::Unit::Token && view.special == View::Special::Keep) return call;
  return call + fmt::format(".view({}, {})", python_string(std::string(name_of(view.unit))),
                            python_string(std::string(name_of(view.special))));
}

std::string python_load(const RunRecord& record) {
  std::string call = fmt::format("m = hw.load({}", python_string(record.model));
  if (record.dtype != "float32" && !record.dtype.empty()) call += ", dtype=" + python_string(record.dtype);
  if (!record.cache_dir.empty()) call += ", cache_dir=" + python_string(record.cache_dir);
  if (!record.commit.empty()) call += ", revision=" + python_string(record.commit);
  return call + ")\n";
}

}  // namespace

std::string reproduce_python(std::span<const Report> reports) {
  std::string lines;
  for (const Report& report : reports) {
    // An aggregate applies to all methods of a call.
    for (const char* aggregate : aggregates) {
      std::vector<MethodSpec> methods;
      for (const MethodSpec& spec : report.asked.methods)
        if (spec.aggregate == aggregate) methods.push_back(spec);
      if (methods.empty()) continue;
      lines += (lines.empty() ? "" : "\n") + python_call(report, methods, aggregate);
    }
  }
  return reports.empty() ? lines : "import headwater as hw\n" + python_load(reports.front().record) + lines;
}

}  // namespace headwater
