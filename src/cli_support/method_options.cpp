#include "cli_support/method_options.h"

#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

#include "cli_support/arguments.h"
#include "cli_support/nearest.h"
#include "cli_support/options.h"
#include "methods/method.h"

namespace headwater {
namespace {

bool has_option(const Method& method, std::string_view name) {
  if (name == "aggregate") return method.mixing != Mixing::None;
  return std::any_of(method.options.begin(), method.options.end(),
                     [&](const MethodOption& option) { return option.name == name; });
}

std::vector<const Method*> chosen(const std::string& names) {
  std::vector<const Method*> methods;
  for (const std::string& name : split(names, ',')) {
    const Method& method = find_method(name);
    if (std::find(methods.begin(), methods.end(), &method) == methods.end()) methods.push_back(&method);
  }
  return methods;
}

void add_option_text(const std::string& given, std::map<std::string, std::string>& options) {
  const std::size_t equals = given.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError(fmt::format("--option: expected name=value, found \"{}\"", given));
  options[given.substr(0, equals)] = given.substr(equals + 1);
}

// "--residual" for every option of every record; methods that share an option share the flag.
void add_record_flags(Arguments& arguments, std::map<std::string, std::string>& options) {
  std::map<std::string, std::vector<const MethodOption*>> known;
  for (const Method* method : all_methods())
    for (const MethodOption& option : method->options) known[std::string(option.name)].push_back(&option);
  for (const Method* method : all_methods()) {
    for (const MethodOption& option : method->options) {
      const std::string name(option.name);
      std::string flag = "--" + name;
      std::replace(flag.begin(), flag.end(), '_', '-');
      if (arguments.has(flag)) continue;
      const auto& kin = known[name];
      const bool alike =
          std::all_of(kin.begin(), kin.end(), [&](const MethodOption* o) { return o->type == option.type; });
      const std::string help =
          kin.size() == 1 ? fmt::format("{}: {} (default {})", method->name, option.help, option.otherwise)
          : alike         ? fmt::format("several methods: {}", option.help)
                          : "several methods, each in its own way: see headwater methods NAME";
      arguments
          .add(
              flag, [&options, name](const std::string& value) { options[name] = value; }, help)
          .value(alike ? std::string(option.type) : "VALUE")
          .group("Methods");
    }
  }
}

}  // namespace

void add_method_options(Arguments& arguments, MethodFlags& flags) {
  arguments.add("--method", flags.names, "Methods, separated by commas (default attention_rollout)")
      .value("METHODS")
      .environment("HEADWATER_METHOD")
      .group("Methods");
  arguments
      .add_repeated(
          "--option", [&flags](const std::string& given) { add_option_text(given, flags.options); },
          "Set an option of the chosen methods; may be repeated")
      .value("NAME=VALUE")
      .group("Methods");
  arguments
      .add(
          "--aggregate", [&flags](const std::string& kind) { flags.options["aggregate"] = kind; },
          "Carry a method's map per layer through the layers")
      .choices("rollout|flow")
      .group("Methods");
  add_record_flags(arguments, flags.options);
}

void MethodFlags::check() const {
  const std::vector<const Method*> methods = chosen(names);
  std::vector<std::string> known;
  for (const Method* method : methods)
    for (const MethodOption& option : method->options) known.emplace_back(option.name);
  if (std::any_of(methods.begin(), methods.end(), [](const Method* m) { return m->mixing != Mixing::None; }))
    known.emplace_back("aggregate");
  for (const auto& [name, value] : options) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw InputError(fmt::format("option {}: expected one of {} ({}), found none of them{}", name, names,
                                 known.empty() ? "no options" : fmt::format("{}", fmt::join(known, ", ")),
                                 suggestion(name, known)));
  }
  for (const MethodSpec& spec : specs()) {
    const Method& method = find_method(spec.name);
    std::map<std::string, std::string> own = spec.options;
    own.erase("aggregate");
    MethodOptions(method.name, method.options, own);
  }
}

std::vector<MethodSpec> MethodFlags::specs() const {
  std::vector<MethodSpec> specs;
  for (const Method* method : chosen(names)) {
    MethodSpec spec{.name = std::string(method->name), .options = {}};
    for (const auto& [name, value] : options)
      if (has_option(*method, name)) spec.options[name] = value;
    specs.push_back(std::move(spec));
  }
  return specs;
}

}  // namespace headwater
