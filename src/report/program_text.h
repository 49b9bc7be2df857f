// What runs here, and with which kernels: as text and as JSON.
#pragma once

#include <string>
#include <vector>

namespace headwater {

struct ProgramRecord {
  std::string version;  // "headwater 0.1.0"
  std::string compiler, build;
  int threads = 0;
  std::string threads_decided_by;
  std::vector<std::string> model_folders;  // where shipped models are looked for
};

std::string program_text(const ProgramRecord& program);
std::string program_json(const ProgramRecord& program);

}  // namespace headwater
