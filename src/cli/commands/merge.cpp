// `headwater merge`: results of --shard, joined to the file that one run would have written.
//
// Exit code 1: some of the inputs had failed, as that run would say.
#include "corpus/merge.h"

#include <filesystem>

#include <fmt/format.h>
#include <headwater/error.h>

#include "cli/commands/command.h"
#include "cli/corpus_run.h"
#include "cli/options.h"
#include "cli/output.h"
#include "corpus/run_record.h"

namespace headwater {
namespace {

struct Options {
  std::vector<std::string> parts;
  OutputOptions output;
};

int run(const Options& options) {
  const std::string& path = options.output.path;
  for (const std::string& part : options.parts)
    if (std::error_code none; std::filesystem::equivalent(part, path, none))
      throw InputError(fmt::format(
          "{}: expected an output other than the shards' files, found one of them; name another", path));
  Output output(path);
  const Merged merged = merge_shards(options.parts, [&](std::string_view lines) { output.write(lines); });
  output.finish();
  // The values of an evaluation are of use to it alone, and it asks whose they are.
  if (Output::names_file(path) && merged.run.value("command", "") == "evaluate")
    write_record(path, merged.run);
  if (output.is_file()) options.output.say(fmt::format("written: {}", path));
  if (merged.failed == 0) return 0;
  options.output.say(fmt::format("{} of {} inputs failed", merged.failed, merged.inputs));
  return CorpusRun::some_failed;
}

void declare(Arguments& arguments, Options& options) {
  arguments.add_repeated("parts FILE…", options.parts, "JSON Lines of all shards of a run, in any order")
      .required();
  add_output_options(arguments, options.output, "");
}

}  // namespace

extern const Command merge{.name = "merge",
                           .summary = "Join the results of shards into those of one run",
                           .group = "Use a model",
                           .setup = set_up<declare, run>};

}  // namespace headwater
