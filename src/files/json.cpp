// The report as JSON. Scores are written number by number, never as a tree: a map of 512 tokens has millions
// of cells. Numbers are the shortest decimals that read back to the same value of their own type.
#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <headwater/formats.h>

#include "files/schema.h"
#include "result/focus.h"

namespace headwater {

namespace {

// Nested lists for the axes from `axis` on; one innermost row per line when indented.
template <class R>
void append_nested(std::string& out, const Shape& shape, int axis, const R*& values,
                   const std::string& line) {
  out += '[';
  const bool rows = axis + 1 < shape.rank();
  for (Index i = 0; i < shape[axis]; ++i) {
    if (i > 0) out += ',';
    if (rows) {
      out += line;
      append_nested(out, shape, axis + 1, values, line);
    } else {
      append_number(out, *values++);
    }
  }
  if (rows) out += line;
  out += ']';
}

void append_values(std::string& out, const Tensor& tensor, const std::string& line) {
  if (tensor.empty()) {
    out += "null";
    return;
  }
  dispatch(tensor.dtype(), [&](auto r) {
    const auto* values = tensor.template data<decltype(r)>();
    append_nested(out, tensor.shape(), 0, values, line);
  });
}

std::string indented(const std::string& text, int by) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out.append(static_cast<std::size_t>(by), ' ');
  }
  return out;
}

// The separator of entries: nothing on one line, otherwise a line break and the indent.
std::string break_of(int indent) {
  std::string line;
  if (indent < 0) return line;
  line += '\n';
  line.append(static_cast<std::size_t>(indent), ' ');
  return line;
}

std::string attribution_text(const Report& report, const Attribution& attribution, int indent) {
  std::string text = dump(json_of(report, attribution), indent);
  text.resize(text.rfind('}'));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const std::string line = break_of(indent), colon = indent < 0 ? ":" : ": ";
  const auto append_named = [&](const char* key, std::span<const Map> maps) {
    if (maps.empty()) return;
    text += fmt::format(",{}\"{}\"{}[", line, key, colon);
    for (const Map& map : maps) {
      if (&map != maps.data()) text += ", ";
      text += fmt::format("{{\"name\"{0}{1},\"axes\"{0}{2},\"values\"{0}", colon, dump(map.name, -1),
                          dump(json_of(map.axes), -1));
      append_values(text, map.values, line);
      text += '}';
    }
    text += ']';
  };
  const bool unnamed = attribution.maps.front().name.empty();
  if (unnamed) {
    text += ',' + line + "\"scores\"" + colon;
    append_values(text, attribution.scores(), line);
  }
  if (has_axis(attribution, Axis::Query) && !attribution.answer.empty()) {
    text += ',' + line + "\"answer\"" + colon;
    append_values(text, attribution.answer, line);
  }
  append_named("maps", std::span(attribution.maps).subspan(unnamed ? 1 : 0));
  append_named("details", attribution.details);
  text += indent < 0 ? "}" : "\n}";
  return text;
}

OrderedJson with_tokens(const Prediction& prediction, const PredictionFormat& format) {
  OrderedJson json = json_of(prediction);
  if (format.tokens) json["tokens"] = tokens_of(prediction);
  return json;
}

}  // namespace

std::string to_json(const Report& measured, int indent) {
  const Report report = viewed(measured);
  OrderedJson head = head_of(report);
  head.erase("attributions");
  head["tokens"] = tokens_of(report.prediction);
  const std::string line = break_of(indent);
  std::string text = "{";
  for (const auto& [key, value] : head.items()) {
    text += line;
    text += dump(key, -1);
    text += indent < 0 ? ":" : ": ";
    text += indented(dump(value, indent), std::max(indent, 0));
    text += ',';
  }
  text += line;
  text += indent < 0 ? "\"attributions\":[" : "\"attributions\": [";
  for (std::size_t i = 0; i < report.attributions.size(); ++i) {
    if (i > 0) text += ", ";
    text += indented(attribution_text(report, report.attributions[i], indent), std::max(indent, 0));
  }
  text += indent < 0 ? "]}" : "]\n}";
  return text;
}

std::string summary_json(const Report& measured, int indent) {
  const Report report = viewed(measured);
  OrderedJson json = head_of(report);
  json["tokens"] = tokens_of(report.prediction);
  return dump(json, indent);
}

std::string to_json(const Prediction& prediction, const PredictionFormat& format) {
  return dump(with_tokens(prediction, format), format.indent);
}

std::string to_json(const Input& input, const Prediction& prediction, const PredictionFormat& format) {
  OrderedJson json;
  if (input.image.empty())
    json["text"] = input.text;
  else
    json["image"] = input.image;
  if (input.pair) json["pair"] = *input.pair;
  json.update(with_tokens(prediction, format));
  return dump(json, format.indent);
}

std::string to_json(const ModelInfo& info, int indent) {
  return dump(json_of(info), indent);
}

std::string to_json(const RunRecord& record, int indent) {
  return dump(json_of(record), indent);
}

}  // namespace headwater
