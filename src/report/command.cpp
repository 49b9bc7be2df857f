// The command line that repeats a run: what was asked for where it differs from the defaults, with every
// method option spelt out.
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/formats.h>

#include "methods/method.h"
#include "report/page.h"

namespace headwater {

namespace {

// Labels by name; tokens of a vocabulary by id, because a token's text need not encode to itself; answers by
// their tokens, because a text may stand several times.
std::string target_name(const ModelInfo& info, const std::string& label, int index,
                        const std::vector<int>& tokens, const std::optional<TokenRange>& span) {
  if (span) return fmt::format("{}-{}", span->first, span->last);
  if (!tokens.empty()) return fmt::format("#{}", fmt::join(tokens, ","));
  const bool vocabulary = info.task == Task::FillMask || info.task == Task::TextGeneration;
  return vocabulary ? fmt::format("#{}", index) : label;
}

std::string aggregate_of(const Attribution& attribution) {
  for (const auto& [name, value] : attribution.options)
    if (name == "aggregate") return value;
  return {};
}

// "value_zeroing" of "value_zeroing_rollout".
std::string registered_name(const Attribution& attribution) {
  const std::string kind = aggregate_of(attribution);
  const std::size_t suffix = kind.empty() ? 0 : kind.size() + 1;
  return attribution.method.substr(0, attribution.method.size() - suffix);
}

std::string method_names(const Report& report) {
  std::string names;
  for (const Attribution& attribution : report.attributions) {
    if (!names.empty()) names += ',';
    names += registered_name(attribution);
  }
  return names;
}

// What an option is when nobody gives it; nothing for a method this library does not have.
std::optional<std::string_view> default_of(std::string_view method, std::string_view option) {
  for (const Method* known : all_methods())
    if (known->name == method)
      for (const MethodOption& candidate : known->options)
        if (candidate.name == option) return candidate.otherwise;
  return {};
}

}  // namespace

std::string reproduce_command(const Report& report) {
  std::string out = "headwater explain -m " + shell_quoted(report.record.model);
  const auto add = [&](const char* flag, const std::string& value) {
    out += fmt::format(" {} {}", flag, shell_quoted(value));
  };
  if (!report.record.commit.empty()) add("--revision", report.record.commit);
  if (report.record.dtype != "float32" && !report.record.dtype.empty()) add("--dtype", report.record.dtype);
  if (!report.attributions.empty()) add("--method", method_names(report));
  for (const Attribution& attribution : report.attributions)
    for (const auto& [name, value] : attribution.options)
      if (value != default_of(registered_name(attribution), name)) add("--option", name + "=" + value);
  const Target& target = report.target;
  if (!target.label.empty())
    add("--target", target_name(report.model, target.label, target.index, target.tokens, target.span));
  if (target.contrast)
    add("--contrast", target_name(report.model, target.contrast_label, *target.contrast,
                                  target.contrast_tokens, target.contrast_span));
  if (target.position >= 0 && !target.span) add("--position", std::to_string(target.position));
  if (report.prediction.truncated) out += " --truncate";
  if (!report.image.empty()) {
    add("--image", report.image);
    return out;
  }
  if (!report.pair.empty()) add("--pair", report.pair);
  return out + " -- " + shell_quoted(report.text);
}

}  // namespace headwater
