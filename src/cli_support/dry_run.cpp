#include "cli_support/dry_run.h"

#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli_support/options.h"

namespace headwater {

std::string dry_run(const Engine& engine, const Request& request, const std::string& format) {
  const ModelInfo& info = engine.info();
  const std::size_t tokens = request.input.image.empty() ? engine.tokenize(request.input).size()
                                                         : static_cast<std::size_t>(info.positions);
  const std::size_t weights = info.parameters * bytes_of(info.dtype);
  const std::size_t planned = engine.planned_bytes(request);
  std::vector<std::string> methods;
  for (const MethodSpec& method : request.methods) methods.push_back(method.name);

  if (format.starts_with("json")) {
    const nlohmann::ordered_json json{{"architecture", info.architecture},
                                      {"dtype", name_of(info.dtype)},
                                      {"layers", info.layers},
                                      {"heads", info.heads},
                                      {"width", info.width},
                                      {"tokens", tokens},
                                      {"methods", methods},
                                      {"weight_bytes", weights},
                                      {"planned_bytes", planned}};
    return json.dump(format == "json" ? 2 : -1) + "\n";
  }
  return fmt::format(
      "model     {} ({} layers, {} heads, width {})\n"
      "input     {} tokens\n"
      "methods   {}\n"
      "weights   {} ({})\n"
      "run       up to {} more\n"
      "nothing was run\n",
      info.architecture, info.layers, info.heads, info.width, tokens,
      methods.empty() ? "none: a prediction" : fmt::format("{}", fmt::join(methods, ", ")),
      human_bytes(weights), name_of(info.dtype), human_bytes(planned));
}

}  // namespace headwater
