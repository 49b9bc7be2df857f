#include "server/metrics.h"

#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

namespace headwater {

namespace {

// Bytes of memory the process has; 0 where the system does not say.
std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

void Metrics::count_reply(int status) {
  const auto hundreds = static_cast<std::size_t>(status / 100);
  if (hundreds < replies_.size()) ++replies_[hundreds];
}

std::string Metrics::text(const JobCounts& jobs) const {
  std::string out;
  const auto family = [&](const char* name, const char* type, const char* help) {
    out += fmt::format("# HELP headwater_{0} {2}\n# TYPE headwater_{0} {1}\n", name, type, help);
  };
  const auto one = [&](const char* name, const char* type, const char* help, double value) {
    family(name, type, help);
    out += fmt::format("headwater_{} {}\n", name, value);
  };
  family("replies_total", "counter", "Replies by the class of their status.");
  for (std::size_t i = 1; i < replies_.size(); ++i)
    out += fmt::format("headwater_replies_total{{code=\"{}xx\"}} {}\n", i, replies_[i].load());
  family("jobs_total", "counter", "Jobs by how they ended.");
  for (const auto& [how, count] :
       {std::pair{"done", jobs.done}, std::pair{"failed", jobs.failed},
        std::pair{"cancelled", jobs.cancelled}, std::pair{"refused", jobs.refused}})
    out += fmt::format("headwater_jobs_total{{status=\"{}\"}} {}\n", how, count);
  one("jobs_waiting", "gauge", "Jobs in the queue.", static_cast<double>(jobs.waiting));
  one("jobs_running", "gauge", "Jobs that run.", static_cast<double>(jobs.running));
  one("job_seconds_total", "counter", "Seconds that jobs ran.", jobs.seconds);
  one("store_jobs", "gauge", "Finished jobs that are kept.", static_cast<double>(jobs.stored));
  one("store_bytes", "gauge", "Bytes of finished jobs that are kept.",
      static_cast<double>(jobs.stored_bytes));
  one("resident_bytes", "gauge", "Memory of the process.", static_cast<double>(resident_bytes()));
  return out;
}

}  // namespace headwater
