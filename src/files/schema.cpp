#include "files/schema.h"

#include <charconv>
#include <cmath>

#include <headwater/formats.h>

#include "files/report_fields.h"
#include "methods/method.h"
#include "result/rows.h"

namespace headwater {

namespace {

template <class R>
void append_shortest(std::string& out, R value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  char buffer[40];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  out.append(buffer, end);
}

Axis axis_named(const std::string& name) {
  for (int kind = Axis::Layer; kind < Axis::Other; ++kind)
    if (name_of(Axis(static_cast<Axis::Kind>(kind))) == name) return Axis(static_cast<Axis::Kind>(kind));
  return Axis(name.c_str());
}

}  // namespace

void append_number(std::string& out, float value) {
  append_shortest(out, value);
}
void append_number(std::string& out, double value) {
  append_shortest(out, value);
}

void write_value(OrderedJson& json, const Axis& axis) {
  if (axis.sequence == 0)
    json = name_of(axis);
  else
    json = {{"axis", name_of(axis)}, {"sequence", axis.sequence}};
}

void read_value(const Json& json, const FieldPath& path, Axes& axes) {
  if (!json.is_array()) of_another_kind(path, "a list", json);
  axes.clear();
  for (std::size_t a = 0; a < json.size(); ++a) {
    const FieldPath here{.outer = &path, .index = a};
    std::string name;
    int sequence = 0;
    if (json[a].is_object()) {
      FieldReader v(json[a], here);
      v("axis", name);
      v("sequence", sequence);
    } else {
      FieldReader::read(json[a], here, name);
    }
    axes.push_back(axis_named(name));
    axes.back().sequence = sequence;
  }
}

const Score* best_label(const Prediction& prediction) {
  if (prediction.answer || prediction.task == Task::TokenClassification || prediction.outcomes.empty() ||
      prediction.outcomes.front().top.empty())
    return nullptr;
  return &prediction.outcomes.front().top.front();
}

std::vector<NamedStack> named_stacks(const ModelInfo& info) {
  std::vector<NamedStack> named;
  for (const Stack& stack : info.stacks)
    named.push_back({stack, stack.reads < 0 ? "" : info.stacks[static_cast<std::size_t>(stack.reads)].name});
  return named;
}

std::vector<Stack> stacks_of(const std::vector<NamedStack>& named) {
  if (named.empty()) throw FormatError("model.stacks: expected at least one, found none");
  std::vector<Stack> stacks;
  for (const auto& [stack, reads] : named) {
    stacks.push_back(stack);
    for (std::size_t of = 0; of + 1 < stacks.size(); ++of)
      if (reads == stacks[of].name) stacks.back().reads = static_cast<int>(of);
  }
  return stacks;
}

Traits traits_of_old_file(const Attribution& result) {
  if (const Method* method = method_named(result.method)) return method->traits_of(result);
  throw FormatError(fmt::format(
      "attributions: expected traits or a method of this version, found neither for '{}'; explain "
      "again with one that `headwater methods` lists",
      result.method));
}

template <class T>
OrderedJson json_of(const T& value) {
  return FieldWriter::json_of_value(value);
}
template OrderedJson json_of(const Agreement& agreement);
template OrderedJson json_of(const ModelInfo& info);
template OrderedJson json_of(const Prediction& prediction);
template OrderedJson json_of(const RunRecord& record);
template OrderedJson json_of(const Target& target);
template OrderedJson json_of(const Unit& token);
template OrderedJson json_of(const std::vector<Check>& checks);

OrderedJson json_of(const Report& report, const Attribution& attribution) {
  OrderedJson json = json_of(attribution);
  if (!attribution.scores().empty()) json["sentence"] = sentence_of(report, attribution);
  return json;
}

int sequence_id(const Unit& token) {
  return token.sequence > 0 ? 2 : token.segment;
}

OrderedJson tokens_of(const Prediction& prediction) {
  return patches_of(prediction) != nullptr ? OrderedJson::array() : list_of(prediction.units);
}

OrderedJson names_of(const Axes& axes) {
  return list_of(axes, [](const Axis& axis) { return name_of(axis); });
}

OrderedJson record_of(std::span<const Report> reports) {
  OrderedJson json = json_of(reports.front().record);
  json["command"] = reproduce_command(reports);
  return json;
}

OrderedJson head_of(const Report& report) {
  FieldWriter v;
  const std::string command = reproduce_command(report);
  describe_report(v, report, command);
  OrderedJson json = v.take();
  json["attributions"] =
      list_of(report.attributions, [&](const Attribution& one) { return json_of(report, one); });
  return json;
}

std::string dump(const OrderedJson& json, int indent) {
  return json.dump(indent, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace headwater
