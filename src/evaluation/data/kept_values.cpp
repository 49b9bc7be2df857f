// {"line":1,"values":[[{"value":0.5,"curve":[…]},…],…]}: metrics, then methods; null for what is no number.
// Or {"line":1,"left_out":"why"}.
#include "evaluation/data/kept_values.h"

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/fields.h"
#include "corpus/kept_results.h"
#include "evaluation/data/evaluation_reader.h"

namespace headwater {

void describe(auto& v, Of<EvaluationValue> auto& one) {
  v("value", one.value);
  v.maybe("curve", one.curve);
  v.maybe("parts", one.parts);
}

void describe(auto& v, Of<ExampleValues> auto& values) {
  if (!v.maybe("left_out", values.left_out)) v("values", values.values);
}

std::string values_line(const ExampleValues& values) {
  return numbered(values.example + 1, FieldWriter::json_of_value(values).dump()) + "\n";
}

std::vector<ExampleValues> read_values(const std::string& path, const Shard& shard) {
  std::vector<ExampleValues> all;
  each_json_line(path, [&](const Json& json, const std::string& where) {
    std::size_t line = 0;
    ExampleValues values;
    try {
      FieldReader v(json, whole_file);
      v("line", line);
      describe(v, values);
    } catch (const FormatError& error) {
      throw FormatError(fmt::format("{}: {}; remove the file to start again", where, error.what()));
    }
    values.example = line - 1;
    if (const std::size_t next = shard.number(all.size()); values.example != next)
      throw FormatError(
          fmt::format("{}: expected the values of example {}, found those of {}", where, next + 1, line));
    all.push_back(std::move(values));
    return true;
  });
  return all;
}

}  // namespace headwater
