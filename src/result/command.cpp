// The command line that repeats a run: the options of the request (Report::asked) that differ from the
// defaults.
//
// If several methods have an option and one of them was given another value, the option is written with the
// method's name; likewise an aggregate. A method that was requested twice needs a command of its own.
#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <headwater/formats.h>

#include "base/strings.h"
#include "methods/method.h"

namespace headwater {

namespace {

// Quoted arguments of a command; a value that looks like an option is joined to its flag.
class Command {
 public:
  void flag(const char* name) { out_ += fmt::format(" {}", name); }
  void add(const char* name, const std::string& value) {
    out_ += value.starts_with('-') ? fmt::format(" {}", shell_quoted(fmt::format("{}={}", name, value)))
                                   : fmt::format(" {} {}", name, shell_quoted(value));
  }
  void text(const std::string& value) { out_ += " -- " + shell_quoted(value); }
  const std::string& str() const { return out_; }

 private:
  std::string out_ = "headwater explain";
};

const MethodOption* option_of(const MethodSpec& spec, std::string_view name) {
  if (const Method* method = method_named(spec.name))
    for (const MethodOption& option : method->options)
      if (option.name == name) return &option;
  return nullptr;
}

bool has_layer_maps(const MethodSpec& spec) {
  const Method* method = method_named(spec.name);
  return method != nullptr && method->mixing != Mixing::None;
}

// The value with which a method runs: the given one, or the default; nothing if it has no such option.
std::optional<std::string> option_value(const MethodSpec& spec, const std::string& name) {
  if (const auto given = spec.options.find(name); given != spec.options.end()) return given->second;
  if (const MethodOption* option = option_of(spec, name)) return std::string(option->otherwise);
  return {};
}

void add_options(Command& command, const std::vector<MethodSpec>& methods) {
  std::vector<std::string> written;
  for (const MethodSpec& spec : methods)
    for (const auto& given : spec.options) {
      const std::string& name = given.first;  // no structured binding: clang 14 cannot capture one
      const std::string& value = given.second;
      const MethodOption* option = option_of(spec, name);
      if (option != nullptr && option->otherwise == value) continue;
      const std::string all = fmt::format("{}={}", name, value);
      const bool shared = std::all_of(methods.begin(), methods.end(), [&](const MethodSpec& other) {
        return option_value(other, name).value_or(value) == value;
      });
      const std::string text = shared ? all : fmt::format("{}.{}", spec.name, all);
      if (std::find(written.begin(), written.end(), text) != written.end()) continue;
      written.push_back(text);
      command.add("--option", text);
    }
}

void add_methods(Command& command, const std::vector<MethodSpec>& methods) {
  std::string names;
  for (const MethodSpec& spec : methods) names += (names.empty() ? "" : ",") + spec.name;
  if (!names.empty()) command.add("--method", names);
  const auto first = std::find_if(methods.begin(), methods.end(), has_layer_maps);
  const bool alike =
      first != methods.end() && std::all_of(methods.begin(), methods.end(), [&](const MethodSpec& spec) {
        return !has_layer_maps(spec) || spec.aggregate == first->aggregate;
      });
  for (const MethodSpec& spec : methods)
    if (!spec.aggregate.empty() && !alike)
      command.add("--aggregate", fmt::format("{}={}", spec.name, spec.aggregate));
  if (alike && !first->aggregate.empty()) command.add("--aggregate", first->aggregate);
  add_options(command, methods);
}

void add_view(Command& command, const View& view) {
  if (view.unit == View::Unit::Word) command.flag("--words");
  if (view.special == View::Special::Hide) command.add("--special", "hide");
  if (view.special == View::Special::Drop) command.add("--special", "drop");
}

std::string command_of(const RunRecord& record, const Request& asked, const std::vector<MethodSpec>& methods,
                       const std::vector<std::string>& targets) {
  Command command;
  command.add("-m", record.model);
  if (!record.commit.empty()) command.add("--revision", record.commit);
  if (!record.cache_dir.empty()) command.add("--cache-dir", record.cache_dir);
  if (record.dtype != "float32" && !record.dtype.empty()) command.add("--dtype", record.dtype);
  add_methods(command, methods);
  for (const std::string& target : targets)
    if (!target.empty()) command.add("--target", target);
  if (!asked.target.contrast.empty()) command.add("--contrast", asked.target.contrast);
  if (asked.target.position) command.add("--position", std::to_string(*asked.target.position));
  if (!asked.input.prefix.empty()) command.add("--prefix", asked.input.prefix);
  if (asked.input.generate > 0) command.add("--generate", std::to_string(asked.input.generate));
  add_view(command, asked.view);
  if (asked.verify) command.flag("--verify");
  if (asked.input.truncate) command.flag("--truncate");
  if (asked.overlap) {
    command.flag("--windows");
    command.add("--overlap", std::to_string(*asked.overlap));
  }
  if (asked.input.spaced) command.flag("--spaced");
  if (!asked.input.image.empty()) {
    command.add("--image", asked.input.image);
    return command.str();
  }
  if (asked.input.pair) command.add("--pair", *asked.input.pair);
  command.text(asked.input.text);
  return command.str();
}

// The methods in rounds: the first has each method once, the second those that were requested again, …
std::vector<std::vector<MethodSpec>> rounds_of(const std::vector<MethodSpec>& methods) {
  std::vector<std::vector<MethodSpec>> rounds(1);
  for (const MethodSpec& spec : methods) {
    std::size_t round = 0;
    const auto holds = [&](const std::vector<MethodSpec>& some) {
      return std::any_of(some.begin(), some.end(), [&](const MethodSpec& s) { return s.name == spec.name; });
    };
    while (round < rounds.size() && holds(rounds[round])) ++round;
    if (round == rounds.size()) rounds.emplace_back();
    rounds[round].push_back(spec);
  }
  return rounds;
}

std::string commands_of(const Report& report, const std::vector<std::string>& targets) {
  std::string out;
  for (const std::vector<MethodSpec>& methods : rounds_of(report.asked.methods))
    out += (out.empty() ? "" : "\n") + command_of(report.record, report.asked, methods, targets);
  return out;
}

}  // namespace

std::string reproduce_command(const Report& report) {
  return commands_of(report, {report.asked.target.label});
}

std::string reproduce_command(std::span<const Report> reports) {
  std::vector<std::string> targets;
  std::string apart;
  bool together = true;
  for (const Report& report : reports) {
    targets.push_back(report.asked.target.label);
    apart += (apart.empty() ? "" : "\n") + reproduce_command(report);
    together = together && commands_of(report, {}) == commands_of(reports.front(), {});
  }
  return together && !reports.empty() ? commands_of(reports.front(), targets) : apart;
}

}  // namespace headwater
