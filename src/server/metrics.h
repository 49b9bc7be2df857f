// Figures for those who watch a server, in Prometheus' text form. No text, name or key of a client is in
// them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "server/job_queue.h"

namespace headwater {

class Metrics {
 public:
  void count_reply(int status);
  std::string text(const JobCounts& jobs) const;

 private:
  std::array<std::atomic<std::uint64_t>, 6> replies_{};  // by the hundreds of their codes
};

}  // namespace headwater
