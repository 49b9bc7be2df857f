#include "cli/run_identity.h"

#include <algorithm>

#include "base/json.h"

namespace headwater {

OrderedJson run_identity(const Engine& engine, const std::string& command, const std::string& inputs,
                         const std::vector<GivenOption>& given, const std::vector<std::string>& shown) {
  static const std::vector<std::string> places{"--model",  "--cache-dir", "--revision", "--threads", "--file",
                                               "--output", "--quiet",     "--color",    "--resume"};
  const auto among = [](const std::vector<std::string>& flags, const std::string& flag) {
    return std::find(flags.begin(), flags.end(), flag) != flags.end();
  };
  OrderedJson options = OrderedJson::object();
  for (const GivenOption& option : given)
    if (!among(places, option.flag) && !among(shown, option.flag)) options[option.flag] = option.values;
  const RunRecord record = engine.record();
  return {
      {"schema", "headwater.run/1"},
      {"command", command},
      {"version", record.version},
      {"inputs", inputs},
      {"model",
       {{"weights", record.weights_sha256}, {"tokenizer", record.tokenizer_sha256}, {"dtype", record.dtype}}},
      {"kernels", record.kernels},
      {"options", options}};
}

}  // namespace headwater
