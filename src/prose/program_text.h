// The running program and its kernels, as text and as JSON.
#pragma once

#include <string>
#include <vector>

namespace headwater {

struct ProgramRecord {
  std::string version;  // "headwater 0.1.0"
  std::string compiler, build;
  int threads = 0;
  std::string threads_decided_by;
  std::vector<std::string> model_folders;  // folders that are searched for shipped models
};

std::string program_text(const ProgramRecord& program);
std::string program_json(const ProgramRecord& program);

}  // namespace headwater
