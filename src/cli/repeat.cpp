#include "cli/repeat.h"

#include <algorithm>

#include "base/strings.h"
#include "cli/arguments.h"

namespace headwater {

std::string repeat_command(const std::string& command, const Arguments& given, const RunRecord& record,
                           const std::vector<std::string>& without) {
  static const std::vector<std::string> idle{"--output",  "--format",     "--quiet",   "--color",
                                             "--threads", "--max-memory", "--dry-run", "--model",
                                             "--dtype",   "--revision",   "--help"};
  const auto holds = [](const std::vector<std::string>& flags, const std::string& flag) {
    return std::find(flags.begin(), flags.end(), flag) != flags.end();
  };
  std::string out = "headwater " + command + " -m " + shell_quoted(record.model), texts;
  if (!record.commit.empty()) out += " --revision " + record.commit;
  if (record.dtype != "float32") out += " --dtype " + record.dtype;
  for (const GivenOption& option : given.given()) {
    if (holds(idle, option.flag) || holds(without, option.flag)) continue;
    std::string& place = option.flag.starts_with("-") ? out : texts;
    const bool named = option.flag.starts_with("-");
    if (named && !option.repeated) place += " " + option.flag;
    for (const std::string& value : option.values)
      place += (named && option.repeated ? " " + option.flag : "") + " " + shell_quoted(value);
  }
  return texts.empty() ? out : out + " --" + texts;
}

}  // namespace headwater
