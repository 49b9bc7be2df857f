#include "files/report_reader.h"

#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

#include "files/report_fields.h"
#include "files/result_checks.h"
#include "study/inputs.h"
#include "study/terms.h"

namespace headwater {

namespace {

// Files of version 0.1.0 have the names of axes alone: there a map's own name says which sequences its rows
// and columns belong to. In later files "query" and "key" alone are of the first sequence, and no map of the
// second is left.
void place_old_axes(Map& map) {
  if (std::any_of(map.axes.begin(), map.axes.end(), [](const Axis& axis) { return axis.sequence != 0; }))
    return;
  const bool second_rows = map.name.starts_with("decoder") || map.name.starts_with("cross");
  const bool second_columns = map.name == "decoder" || map.name.ends_with("_to_prefix");
  for (Axis& axis : map.axes)
    if ((axis.kind == Axis::Query && second_rows) || (axis.kind == Axis::Key && second_columns))
      axis.sequence = 1;
}

// Patches are not in the file; the model gives their number.
void add_patches(const ModelInfo& info, Prediction& prediction) {
  constexpr Index most = 1 << 20;
  const Index side = info.image_size / info.patch_size, count = info.prefix_tokens + side * side;
  if (side < 1 || side > most || info.prefix_tokens < 0 || count > most)
    throw FormatError(
        fmt::format("model: expected a picture of at most {} patches, found {} pixels in patches of {}", most,
                    info.image_size, info.patch_size));
  prediction.sequences = {{.name = "image", .count = count, .rows = side, .columns = side}};
  for (Index u = 0; u < count; ++u) prediction.units.push_back(patch_of(prediction.sequences[0], u));
}

// The units of the sequences that the file has; without any, all are of one.
void place_units(Prediction& prediction) {
  if (prediction.sequences.empty())
    prediction.sequences = {{.name = "text", .count = static_cast<Index>(prediction.units.size())}};
  Index counted = 0;
  for (const Sequence& sequence : prediction.sequences) {
    if (sequence.first != counted || sequence.count < 0)
      throw FormatError(
          fmt::format("sequences: expected one that begins at {}, found {}", counted, sequence.first));
    counted += sequence.count;
  }
  if (counted != static_cast<Index>(prediction.units.size()))
    throw FormatError(
        fmt::format("sequences: expected {} tokens, found {}", counted, prediction.units.size()));
  // The second sequence is the third value of what a file calls "sequence".
  for (std::size_t s = 1; s < prediction.sequences.size(); ++s)
    for (Index u = 0; u < prediction.sequences[s].count; ++u) {
      Unit& unit = prediction.units.at(static_cast<std::size_t>(prediction.sequences[s].first + u));
      unit.sequence = static_cast<int>(s);
      unit.segment = 0;
    }
}

// Figures are drawn by the units, so a file whose arrays do not fit them is refused here.
void check_sizes(const Prediction& prediction, const Attribution& result) {
  const auto expected = [&](const Axis& axis) -> Index {
    if (axis.kind == Axis::Units) return static_cast<Index>(prediction.units.size());
    if (axis.kind != Axis::Query && axis.kind != Axis::Key) return -1;
    const auto sequence = static_cast<std::size_t>(axis.sequence);
    if (sequence >= prediction.sequences.size())
      throw FormatError(fmt::format("{}: expected {} sequences, found {}", result.method, sequence + 1,
                                    prediction.sequences.size()));
    return prediction.sequences[sequence].count;
  };
  for (const Map& map : result.details)
    for (const Axis& axis : map.axes)
      if (axis.sequence < 0 ||
          static_cast<std::size_t>(axis.sequence) >= std::max<std::size_t>(1, prediction.sequences.size()))
        throw FormatError(fmt::format("{}: expected one of {} sequences, found {}", result.method,
                                      prediction.sequences.size(), axis.sequence));
  for (const Map& map : result.maps) {
    if (map.values.rank() != static_cast<int>(map.axes.size()))
      throw FormatError(
          fmt::format("{}: expected {} axes, found {}", result.method, map.values.rank(), map.axes.size()));
    for (std::size_t a = 0; a < map.axes.size(); ++a)
      if (const Index count = expected(map.axes[a]);
          count >= 0 && count != map.values.dim(static_cast<int>(a)))
        throw FormatError(fmt::format("{}: expected {} along {}, as there are tokens, found {}",
                                      result.method, count, name_of(map.axes[a]),
                                      map.values.dim(static_cast<int>(a))));
  }
}

void check_rows_read(const Report& report) {
  for (const Read& read : report.read) {
    const auto sequence = static_cast<std::size_t>(read.sequence);
    if (sequence >= report.prediction.sequences.size() || read.row < 0 ||
        read.row >= report.prediction.sequences[sequence].count)
      throw FormatError(fmt::format("read: expected rows of the sequences, found row {} of sequence {}",
                                    read.row, read.sequence));
  }
}

// Files of version 0.1.0 do not say which rows were read: the target's, or [CLS], or the last token of a
// causal model.
std::vector<Read> read_of_old_file(const Report& report) {
  if (report.prediction.sequences.empty() || report.prediction.sequences.back().count < 1) return {};
  const Index count = report.prediction.sequences.back().count;
  Index row = report.model.last().causal ? count - 1 : 0;
  if (report.target.position >= 0) row = std::min<Index>(report.target.position, count - 1);
  const Index last = has_several_tokens(report.target) ? count - 1 : row;
  std::vector<Read> read;
  for (; row <= last; ++row)
    read.push_back({.sequence = static_cast<int>(report.prediction.sequences.size()) - 1, .row = row});
  return read;
}

void complete(Report& report, bool says_what_was_read) {
  if (report.prediction.units.empty() && report.model.patch_size > 0)
    add_patches(report.model, report.prediction);
  else
    place_units(report.prediction);
  if (says_what_was_read)
    check_rows_read(report);
  else
    report.read = read_of_old_file(report);
  report.answer_token = read_names(report);
  const DType dtype = report.model.dtype;
  if (!report.prediction.hidden.empty()) report.prediction.hidden = report.prediction.hidden.to(dtype);
  for (Attribution& result : report.attributions) {
    for (std::vector<Map>* maps : {&result.maps, &result.details})
      for (Map& map : *maps) {
        if (!map.values.empty()) map.values = map.values.to(dtype);
        place_old_axes(map);
      }
    check_sizes(report.prediction, result);
  }
  require_drawable(report);
}

}  // namespace

ReadResult<Report> read_report(const Json& json, const std::string& where) {
  return read_as(json, where, schema_name, [&] {
    ReadResult<Report> made;
    FieldReader v(json, whole_file);
    describe_report(v, made.report, made.command);
    complete(made.report, json.contains("read"));
    return made;
  });
}

}  // namespace headwater
