#include "prose/program_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "files/schema.h"
#include "kernels/kernels.h"
#include "prose/table.h"

namespace headwater {

std::string program_json(const ProgramRecord& program) {
  OrderedJson kernels = OrderedJson::object();
  for (const KernelChoice& choice : kernels_in_use()) kernels[choice.kernel] = choice.implementation;
  return dump({{"version", program.version.substr(program.version.find(' ') + 1)},
               {"compiler", program.compiler},
               {"build", program.build},
               {"threads", program.threads},
               {"threads_decided_by", program.threads_decided_by},
               {"cpu_features", cpu_features()},
               {"kernels", kernels},
               {"shipped_models", program.model_folders}},
              2) +
         "\n";
}

std::string program_text(const ProgramRecord& program) {
  Table table;
  table.rows = {{"version", program.version},
                {"build", fmt::format("{}, {}", program.build, program.compiler)},
                {"threads", fmt::format("{} ({})", program.threads, program.threads_decided_by)},
                {"processor", fmt::format("{}", fmt::join(cpu_features(), " "))}};
  for (const KernelChoice& choice : kernels_in_use())
    table.rows.push_back({"kernel " + choice.kernel, choice.implementation});
  for (const std::string& folder : program.model_folders) table.rows.push_back({"shipped models", folder});
  return table.str();
}

}  // namespace headwater
