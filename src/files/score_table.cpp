#include "files/score_table.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/formats.h>

#include "files/csv.h"
#include "files/schema.h"
#include "result/rows.h"
#include "result/sentence.h"
#include "result/text_width.h"

namespace headwater {

namespace {

std::string table_line(const std::vector<std::string>& fields, TableKind kind) {
  std::vector<std::string> written;
  for (const std::string& field : fields)
    written.push_back(kind == TableKind::Csv ? csv_field(field) : visible(field));
  return fmt::format("{}\n", fmt::join(written, kind == TableKind::Csv ? "," : "\t"));
}

// The shortest decimal that reads back to the same value of its own type, as in JSON.
std::string score_text(double value, DType dtype) {
  if (dtype == DType::Float32 && std::isfinite(value)) return fmt::format("{}", static_cast<float>(value));
  return csv_number(value);
}

std::string number_or_none(Index value) {
  return value < 0 ? "" : std::to_string(value);
}

}  // namespace

std::string score_header(TableKind kind) {
  return table_line({"line", "gold", "prediction", "target", "contrast", "method", "layer", "token", "text",
                     "begin", "end", "word", "sequence", "special", "score"},
                    kind);
}

std::string score_rows(const Report& measured, const TableInput& input, TableKind kind) {
  const Report report = viewed(measured);
  const std::vector<Unit>& units = report.prediction.units;
  const std::vector<std::string> start{input.line == 0 ? "" : std::to_string(input.line), input.gold,
                                       headline(report.prediction).label, report.target.label,
                                       report.target.contrast_label};
  std::string rows;
  for (const Attribution& result : report.attributions) {
    if (result.scores().empty()) continue;
    const Index layers = layer_count(result);
    for (Index layer = 0; layer < layers; ++layer) {
      const std::vector<double> scores = answer_weights(report, result, layer);
      for (std::size_t t = 0; t < units.size() && t < scores.size(); ++t) {
        const Unit& unit = units[t];
        const bool has_bytes = !unit.special && unit.id >= 0;
        std::vector<std::string> fields = start;
        fields.insert(fields.end(),
                      {name_of(result), has_axis(result, Axis::Layer) ? std::to_string(layer) : "",
                       std::to_string(t), unit.text, has_bytes ? std::to_string(unit.begin) : "",
                       has_bytes ? std::to_string(unit.end) : "", number_or_none(unit.word),
                       std::to_string(sequence_id(unit)), unit.special ? "true" : "false",
                       score_text(scores[t], result.scores().dtype())});
        rows += table_line(fields, kind);
      }
    }
  }
  return rows;
}

}  // namespace headwater
