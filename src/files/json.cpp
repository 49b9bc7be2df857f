// The report as JSON. Scores are written number by number, never as a tree: a map of 512 tokens has millions
// of cells. Numbers are the shortest decimals that read back to the same value of their own type.
#include <algorithm>

#include <fmt/format.h>
#include <headwater/formats.h>

#include "files/report_fields.h"

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

// The fields as text, the numbers after them. Numbers of every layer and head are long, so that results write theirs where
// they stay, at the end of one text, `outer` columns further in; their other fields are put before them at the end.
class JsonText : public FieldWriter {
 public:
  JsonText(std::string& text, const Report& report, int indent, int outer = 0)
      : text_(text),
        begin_(text.size()),
        report_(report),
        indent_(indent),
        outer_(outer),
        line_(break_of(indent + outer)) {}

  void numbers(bool there, const char* key, const Tensor& tensor) {
    if (!there) return;
    begin(key);
    append_values(text_, tensor, line_);
  }
  void numbers(bool there, const char* key, const std::vector<Unit>& tokens) {
    if (!there) return;
    begin(key);
    text_ += indented(dump(json_of_value(tokens), indent_), std::max(indent_, 0) + outer_);
  }
  void numbers(bool there, const char* key, const std::vector<Map>& maps) {
    each(there, key, maps, [&](const Map& map) {
      text_ += fmt::format("{{\"name\"{0}{1},\"axes\"{0}{2},\"values\"{0}", colon(), dump(map.name, -1),
                           dump(json_of_value(map.axes), -1));
      append_values(text_, map.values, line_);
      text_ += '}';
    });
  }
  void numbers(bool there, const char* key, const std::vector<Attribution>& results) {
    each(there, key, results, [&](const Attribution& result) {
      JsonText inner(text_, report_, indent_, std::max(indent_, 0) + outer_);
      describe(inner, result);
      if (!result.scores().empty()) inner("sentence", sentence_of(report_, result));
      inner.finish();
    });
  }
  void finish() {
    std::string fields = indented(dump(take(), indent_), outer_);
    fields.resize(fields.find_last_not_of(" \n", fields.rfind('}') - 1) + 1);
    text_.insert(begin_, fields);
    if (indent_ >= 0) text_ += break_of(outer_);
    text_ += '}';
  }

 private:
  const char* colon() const { return indent_ < 0 ? ":" : ": "; }
  void begin(const char* key) { text_ += fmt::format(",{}\"{}\"{}", line_, key, colon()); }
  template <class T, class F>
  void each(bool there, const char* key, const std::vector<T>& all, const F& append) {
    if (!there) return;
    begin(key);
    text_ += '[';
    for (const T& one : all) {
      if (&one != all.data()) text_ += ", ";
      append(one);
    }
    text_ += ']';
  }

  std::string& text_;
  const std::size_t begin_;
  const Report& report_;
  const int indent_, outer_;
  const std::string line_;
};

OrderedJson with_tokens(const Prediction& prediction, const PredictionFormat& format) {
  OrderedJson json = json_of(prediction);
  if (format.tokens) json["tokens"] = tokens_of(prediction);
  return json;
}

}  // namespace

std::string to_json(const Report& measured, int indent) {
  const Report report = viewed(measured);
  std::string text;
  JsonText v(text, report, indent);
  const std::string command = reproduce_command(report);
  describe_report(v, report, command);
  v.finish();
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
