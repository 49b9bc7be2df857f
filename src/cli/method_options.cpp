#include "cli/method_options.h"

#include <algorithm>

#include <fmt/format.h>
#include <headwater/engine.h>

#include "base/nearest.h"
#include "base/strings.h"
#include "cli/arguments.h"
#include "cli/describe.h"
#include "cli/options.h"
#include "explain/aggregate.h"
#include "methods/method.h"

namespace headwater {
namespace {

bool has_option(const Method& method, std::string_view name) {
  return std::any_of(method.options.begin(), method.options.end(),
                     [&](const MethodOption& option) { return option.name == name; });
}

std::vector<MethodSpec> methods_named(const std::string& names) {
  std::vector<MethodSpec> methods;
  for (const std::string& given : split(names, ',')) {
    const std::string name(find_method(given).name);
    if (std::none_of(methods.begin(), methods.end(), [&](const MethodSpec& m) { return m.name == name; }))
      methods.push_back({.name = name});
  }
  return methods;
}

// "quantity" of every method, or "occlusion.quantity" of one.
struct OptionName {
  std::string method, name;
};

OptionName option_name(const std::string& given) {
  const std::size_t dot = given.find('.');
  if (dot == std::string::npos) return {"", given};
  return {given.substr(0, dot), given.substr(dot + 1)};
}

bool is_meant(const std::string& method, const MethodSpec& spec) {
  return method.empty() || find_method(method).name == spec.name;
}

std::string joined_names(const std::vector<MethodSpec>& methods) {
  std::string names;
  for (const MethodSpec& method : methods) names += (names.empty() ? "" : ",") + method.name;
  return names;
}

void require_taken(const std::string& option, const std::vector<MethodSpec>& methods,
                   const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), option_name(option).name) != known.end()) return;
  throw InputError(fmt::format(
      "option {}: expected one of {} ({}), found none of them{}", option, joined_names(methods),
      known.empty() ? "no options" : fmt::format("{}", fmt::join(known, ", ")), suggestion(option, known)));
}

void add_option_text(const std::string& given, std::map<std::string, std::string>& options) {
  const std::size_t equals = given.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError(fmt::format("--option: expected name=value, found \"{}\"", given));
  OptionName option = option_name(given.substr(0, equals));
  if (!option.method.empty())
    option.name = fmt::format("{}.{}", find_method(option.method).name, option.name);
  options[option.name] = given.substr(equals + 1);
}

void add_aggregate(const std::string& given, std::map<std::string, std::string>& aggregate) {
  const std::size_t equals = given.find('=');
  const bool of_one = equals != std::string::npos;
  const std::string kind = of_one ? given.substr(equals + 1) : given;
  const std::vector<std::string> kinds(aggregates.begin() + 1, aggregates.end());
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
    throw InputError(
        fmt::format("--aggregate: expected rollout or flow, found \"{}\"{}", kind, suggestion(kind, kinds)));
  aggregate[of_one ? std::string(find_method(given.substr(0, equals)).name) : ""] = kind;
}

// "--residual" for every option of every record; methods that share an option share the flag.
void add_record_flags(Arguments& arguments, std::map<std::string, std::string>& options) {
  std::map<std::string, std::vector<const MethodOption*>> known;
  std::map<std::string, std::vector<std::string_view>> owners;
  for (const Method* method : all_methods())
    for (const MethodOption& option : method->options) {
      known[std::string(option.name)].push_back(&option);
      owners[std::string(option.name)].push_back(method->name);
    }
  arguments.under(method_options_heading);
  for (const Method* method : all_methods()) {
    for (const MethodOption& option : method->options) {
      const std::string name(option.name);
      std::string flag = "--" + name;
      std::replace(flag.begin(), flag.end(), '_', '-');
      if (arguments.has(flag)) continue;
      const auto& kin = known[name];
      const bool alike =
          std::all_of(kin.begin(), kin.end(), [&](const MethodOption* o) { return o->type == option.type; });
      std::string help = fmt::format("{}: ", fmt::join(owners[name], ", "));
      if (kin.size() == 1)
        help += fmt::format("{} (default {})", option.help, option.otherwise);
      else
        help += alike ? std::string(option.help) : "depends on the method, see headwater methods NAME";
      arguments.add(
          fmt::format("{} {}", flag, alike ? option.type : "VALUE"),
          [&options, name](const std::string& value) { options[name] = value; }, help);
    }
  }
}

}  // namespace

void add_method_options(Arguments& arguments, MethodFlags& flags, const std::string& names) {
  arguments.under("Methods")
      .add(
          names + " METHODS", [&flags](const std::string& given) { flags.names = given; },
          "Methods, with commas")
      .environment("HEADWATER_METHOD");
  arguments.add_repeated(
      "--option NAME=VALUE", [&flags](const std::string& given) { add_option_text(given, flags.options); },
      "Set a method's option, or METHOD.NAME; repeatable");
  arguments.add_repeated(
      "--aggregate rollout|flow",
      [&flags](const std::string& given) { add_aggregate(given, flags.aggregate); },
      "Combine maps across layers; METHOD=… for one");
  add_record_flags(arguments, flags.options);
}

void MethodFlags::check() const {
  if (names) applied_to(methods_named(*names));
}

std::vector<MethodSpec> MethodFlags::specs(const ModelInfo& info) const {
  return applied_to(names ? methods_named(*names) : default_methods(info));
}

std::vector<MethodSpec> MethodFlags::applied_to(std::vector<MethodSpec> methods) const {
  for (const auto& [given, value] : options) {
    const OptionName option = option_name(given);
    std::vector<std::string> known;
    for (MethodSpec& spec : methods) {
      if (!is_meant(option.method, spec)) continue;
      const Method& method = find_method(spec.name);
      for (const MethodOption& one : method.options) known.emplace_back(one.name);
      // What is said of one method goes before what is said of all.
      const bool own = option.method.empty() && options.count(spec.name + "." + option.name) > 0;
      if (has_option(method, option.name) && !own) spec.options[option.name] = value;
    }
    require_taken(given, methods, known);
  }
  for (const auto& [named, kind] : aggregate) {
    bool taken = false;
    for (MethodSpec& spec : methods) {
      if (!is_meant(named, spec) || find_method(spec.name).mixing == Mixing::None) continue;
      if (!named.empty() || aggregate.count(spec.name) == 0) spec.aggregate = kind;
      taken = true;
    }
    if (!taken)
      throw InputError(fmt::format(
          "--aggregate {}: expected a method with a map per layer, found {}; headwater methods says which "
          "have one",
          kind, named.empty() ? joined_names(methods) : named));
  }
  for (const MethodSpec& spec : methods) {
    const Method& method = find_method(spec.name);
    MethodOptions(method.name, method.options, spec.options);
  }
  return methods;
}

}  // namespace headwater
