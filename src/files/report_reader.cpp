#include "files/report_reader.h"

#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

#include "files/json_values.h"
#include "files/result_checks.h"
#include "files/schema.h"
#include "methods/method.h"
#include "result/focus.h"
#include "study/inputs.h"
#include "study/terms.h"

namespace headwater {

namespace {

Axis axis_named(const std::string& name) {
  for (int kind = Axis::Layer; kind < Axis::Other; ++kind)
    if (name_of(Axis(static_cast<Axis::Kind>(kind))) == name) return Axis(static_cast<Axis::Kind>(kind));
  return Axis(name.c_str());
}

Axes axes_of(const Json& json) {
  Axes axes;
  for (const Json& one : json) {
    axes.push_back(axis_named(one.is_object() ? one.at("axis").get<std::string>() : one.get<std::string>()));
    if (one.is_object()) axes.back().sequence = one.at("sequence");
  }
  return axes;
}

// Files of version 0.1.0 have the names of axes alone: there a map's own name says which sequences its rows
// and columns belong to. In later files "query" and "key" alone are of the first sequence, and no map of the
// second is left.
void place_old_axes(const Json& json, Map& map) {
  const bool second_rows = map.name.starts_with("decoder") || map.name.starts_with("cross");
  const bool second_columns = map.name == "decoder" || map.name.ends_with("_to_prefix");
  for (std::size_t a = 0; a < map.axes.size(); ++a) {
    if (json.at(a).is_object()) return;
    if (map.axes[a].kind == Axis::Query && second_rows) map.axes[a].sequence = 1;
    if (map.axes[a].kind == Axis::Key && second_columns) map.axes[a].sequence = 1;
  }
}

Task task_named(const std::string& name) {
  for (int task = 0; task <= static_cast<int>(Task::FeatureExtraction); ++task)
    if (name_of(static_cast<Task>(task)) == name) return static_cast<Task>(task);
  throw FormatError(fmt::format("task: expected one that is known, found '{}'", name));
}

Stack stack_in(const Json& json) {
  return {.name = value_in_json<std::string>(json, "name"),
          .layers = json.at("layers"),
          .heads = json.at("heads"),
          .groups = json.at("groups"),
          .head_width = json.at("head_width"),
          .width = json.at("width"),
          .feed_forward = json.at("feed_forward"),
          .causal = json.at("causal")};
}

ModelInfo model_in(const Json& json) {
  ModelInfo info;
  info.family = json.at("family");
  info.model_type = json.at("model_type");
  info.architecture = json.at("architecture");
  info.task = task_named(json.at("task"));
  if (json.contains("stacks")) {
    info.stacks.clear();
    for (const Json& one : json.at("stacks")) info.stacks.push_back(stack_in(one));
    if (info.stacks.empty()) throw FormatError("model.stacks: expected at least one, found none");
    for (std::size_t s = 0; s < info.stacks.size(); ++s)
      for (std::size_t of = 0; of < s; ++of)
        if (value_in_json<std::string>(json.at("stacks").at(s), "reads") == info.stacks[of].name)
          info.stacks[s].reads = static_cast<int>(of);
  } else {
    info.last() = stack_in(json);
  }
  info.vocabulary = json.at("vocabulary");
  info.positions = json.at("positions");
  info.pre_norm = json.at("pre_norm");
  info.labels = json.at("labels").get<std::vector<std::string>>();
  info.image_size = value_in_json(json, "image_size", 0);
  info.patch_size = value_in_json(json, "patch_size", 0);
  info.prefix_tokens = value_in_json(json, "prefix_tokens", 0);
  info.dtype = dtype_from_name(json.at("dtype").get<std::string>());
  info.parameters = json.at("parameters");
  return info;
}

Outcome outcome_in(const Json& scores, int position) {
  Outcome outcome{.position = position};
  for (const Json& one : scores)
    outcome.top.push_back({one.at("label"), one.at("index"), number_in_json(one.at("probability")),
                           number_in_json(one.at("logit"))});
  return outcome;
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

void add_units(const Json& json, Prediction& prediction) {
  for (const Json& one : json.at("tokens"))
    prediction.units.push_back({.id = one.at("id"),
                                .piece = one.at("piece"),
                                .text = one.at("text"),
                                .begin = one.at("begin"),
                                .end = one.at("end"),
                                .word = one.at("word"),
                                .segment = one.at("sequence"),
                                .special = one.at("special"),
                                .target = value_in_json(one, "target", false)});
  if (!json.contains("sequences")) {
    prediction.sequences = {{.name = "text", .count = static_cast<Index>(prediction.units.size())}};
    return;
  }
  for (const Json& one : json.at("sequences"))
    prediction.sequences.push_back(
        {.name = one.at("name"), .first = one.at("first"), .count = one.at("count")});
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

Prediction prediction_in(const Json& json, const ModelInfo& info) {
  const Json& own = json.at("prediction");
  Prediction made{.task = task_named(own.at("task"))};
  if (json.at("tokens").empty() && info.patch_size > 0)
    add_patches(info, made);
  else
    add_units(json, made);
  if (own.contains("answer"))
    made.answer = Span{own.at("answer").at("text"), own.at("answer").at("first_token"),
                       own.at("answer").at("last_token"), number_in_json(own.at("answer").at("probability"))};
  if (own.contains("scores")) made.outcomes.push_back(outcome_in(own.at("scores"), -1));
  for (const Json& one : value_in_json(own, "outcomes", Json::array()))
    made.outcomes.push_back(outcome_in(one.at("scores"), one.at("position")));
  made.logits = numbers_in_json(value_in_json(own, "logits", Json::array()));
  if (own.contains("continuation")) made.continuation = own.at("continuation").get<std::string>();
  made.continuation_ids = value_in_json(own, "continuation_ids", std::vector<int>{});
  if (own.contains("hidden")) made.hidden = tensor_in_json(own.at("hidden"), info.dtype);
  made.truncated = value_in_json(own, "truncated", false);
  return made;
}

Target target_in(const Json& json) {
  Target target{.position = json.at("position"),
                .index = json.at("index"),
                .label = json.at("label"),
                .logit = number_in_json(json.at("logit")),
                .probability = number_in_json(json.at("probability")),
                .tokens = value_in_json(json, "tokens", std::vector<int>{}),
                .contrast_tokens = value_in_json(json, "contrast_tokens", std::vector<int>{})};
  const auto range = [&](const char* key) -> std::optional<TokenRange> {
    if (!json.contains(key)) return {};
    return TokenRange{json.at(key).at(0), json.at(key).at(1)};
  };
  target.span = range("span");
  target.contrast_span = range("contrast_span");
  if (json.contains("contrast_index")) target.contrast = json.at("contrast_index").get<int>();
  target.contrast_label = value_in_json<std::string>(json, "contrast");
  return target;
}

Map map_in(const Json& json, DType dtype) {
  Map map;
  map.name = value_in_json<std::string>(json, "name");
  map.axes = axes_of(json.at("axes"));
  map.values = tensor_in_json(json.at("values"), dtype);
  place_old_axes(json.at("axes"), map);
  return map;
}

// Files of version 0.1.0 have no traits: there the record of the method gives them.
Traits traits_in(const Json& json, const Attribution& result) {
  if (json.contains("traits")) {
    const Json& traits = json.at("traits");
    return {.of_target = traits.at("of_target"),
            .by_layer = traits.at("by_layer"),
            .attention_alone = traits.at("attention_alone"),
            .is_signed = traits.at("is_signed"),
            .rows_sum_to_one = traits.at("rows_sum_to_one")};
  }
  if (const Method* method = method_named(result.method)) return method->traits_of(result);
  throw FormatError(fmt::format(
      "attributions: expected traits or a method of this version, found neither for '{}'; explain "
      "again with one that `headwater methods` lists",
      result.method));
}

Attribution attribution_in(const Json& json, DType dtype) {
  Attribution made;
  made.method = json.at("method");
  made.aggregate = value_in_json<std::string>(json, "aggregate");
  made.options = pairs_in_json(json.at("options"));
  made.maps.clear();
  if (json.contains("scores"))
    made.maps.push_back(
        {.axes = axes_of(json.at("axes")), .values = tensor_in_json(json.at("scores"), dtype)});
  for (const Json& one : value_in_json(json, "maps", Json::array())) made.maps.push_back(map_in(one, dtype));
  if (made.maps.empty())
    throw FormatError("attributions: expected scores, found none; a summary has no numbers");
  made.traits = traits_in(json, made);
  for (const Json& one : value_in_json(json, "details", Json::array()))
    made.details.push_back(map_in(one, dtype));
  for (const Json& one : value_in_json(json, "measured", Json::array()))
    made.measured.push_back(one.get<bool>());
  made.checks = checks_in_json(json.at("checks"));
  if (json.contains("accounted")) {
    const Json& account = json.at("accounted");
    made.accounted = Account{.sum = number_in_json(account.at("sum")),
                             .of = number_in_json(account.at("of")),
                             .what = account.at("what")};
  }
  made.notes = json.at("notes").get<std::vector<std::string>>();
  made.seconds = number_in_json(json.at("seconds"));
  return made;
}

Agreement agreement_in(const Json& json) {
  return {.first = json.at("methods").at(0),
          .second = json.at("methods").at(1),
          .kendall = numbers_in_json(json.at("kendall_tau_b_by_layer")),
          .spearman = numbers_in_json(json.at("spearman_by_layer")),
          .whole_kendall = number_in_json(json.at("kendall_tau_b")),
          .whole_spearman = number_in_json(json.at("spearman")),
          .units = json.at("units")};
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

std::vector<Read> read_in(const Json& json, const Prediction& prediction) {
  std::vector<Read> read;
  for (const Json& one : json) {
    read.push_back({.sequence = one.at("sequence"), .row = one.at("row")});
    const auto sequence = static_cast<std::size_t>(read.back().sequence);
    if (sequence >= prediction.sequences.size() || read.back().row < 0 ||
        read.back().row >= prediction.sequences[sequence].count)
      throw FormatError(fmt::format("read: expected rows of the sequences, found row {} of sequence {}",
                                    read.back().row, read.back().sequence));
  }
  return read;
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

Report report_in(const Json& json) {
  const Json& input = json.at("input");
  Report report;
  report.text = value_in_json<std::string>(input, "text");
  report.pair = value_in_json<std::string>(input, "pair");
  report.image = value_in_json<std::string>(input, "image");
  report.prefix = value_in_json<std::string>(input, "prefix");
  report.model = model_in(json.at("model"));
  report.prediction = prediction_in(json, report.model);
  report.target = target_in(json.at("target"));
  report.read =
      json.contains("read") ? read_in(json.at("read"), report.prediction) : read_of_old_file(report);
  report.answer_token = read_names(report);
  report.record = record_in_json(json.at("record"));
  for (const Json& one : json.at("attributions"))
    report.attributions.push_back(attribution_in(one, report.model.dtype));
  for (const Attribution& result : report.attributions) check_sizes(report.prediction, result);
  require_drawable(report);
  for (const Json& one : value_in_json(json, "agreement", Json::array()))
    report.agreement.push_back(agreement_in(one));
  return report;
}

}  // namespace

ReadReport read_report(const Json& json, const std::string& where) {
  return read_as(json, where, schema_name, [&] {
    ReadReport made;
    made.report = report_in(json);
    made.command = value_in_json<std::string>(json.at("record"), "command");
    return made;
  });
}

}  // namespace headwater
