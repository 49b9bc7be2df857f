// Quotas. Version 2 has one tree: <root>/<path>/cpu.max holds "quota period" in microseconds or "max period".
// Version 1 has a tree per controller: <root>/<controllers>/<path>/cpu.cfs_quota_us (−1: none) and
// cpu.cfs_period_us. Each parent may be tighter than its child. Inside a container the path is often that of
// the host and does not exist below the root that is mounted: then the root's own files are the container's.
#include "base/processors.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <thread>

#include <sched.h>
#include <unistd.h>

namespace headwater {
namespace {

namespace fs = std::filesystem;

std::optional<double> number_in_file(const fs::path& file) {
  std::ifstream stream(file);
  double value = 0;
  if (stream >> value) return value;
  return std::nullopt;
}

int in_processors(double quota, double period) {
  if (!(quota > 0) || !(period > 0)) return 0;
  return static_cast<int>(std::clamp(std::ceil(quota / period), 1.0, 1e6));
}

int quota_in(const fs::path& folder) {
  std::ifstream stream(folder / "cpu.max");
  double quota = 0, period = 0;
  if (stream >> quota >> period) return in_processors(quota, period);  // "max" is no number
  return in_processors(number_in_file(folder / "cpu.cfs_quota_us").value_or(-1),
                       number_in_file(folder / "cpu.cfs_period_us").value_or(0));
}

int tighter(int a, int b) {
  return a == 0 ? b : b == 0 ? a : std::min(a, b);
}

// From the group itself up to the root of its tree.
int tightest_quota(const fs::path& tree, const fs::path& group) {
  int quota = quota_in(tree);
  fs::path folder = tree;
  for (const fs::path& part : group.relative_path()) {
    folder /= part;
    quota = tighter(quota, quota_in(folder));
  }
  return quota;
}

}  // namespace

int cgroup_processors(const CgroupPlaces& places) {
  std::ifstream membership(places.membership);
  int quota = 0;
  for (std::string line; std::getline(membership, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path group = line.substr(second + 1);
    if (controllers.empty())
      for (const char* tree : {"", "unified"})
        quota = tighter(quota, tightest_quota(fs::path(places.root) / tree, group));
    if (("," + controllers + ",").find(",cpu,") != std::string::npos)
      for (const std::string& tree : {controllers, std::string("cpu")})
        quota = tighter(quota, tightest_quota(fs::path(places.root) / tree, group));
  }
  return quota;
}

int usable_processors() {
  const auto all = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  cpu_set_t set;
  CPU_ZERO(&set);
  // Fails on machines with more processors than a cpu_set_t holds: then all of them.
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return all;
  return std::max(1, CPU_COUNT(&set));
}

int omp_threads(const char* value) {
  if (value == nullptr) return 0;
  std::string_view text = value;
  while (text.starts_with(' ')) text.remove_prefix(1);
  int threads = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  while (text.starts_with(' ')) text.remove_prefix(1);
  const bool whole = text.empty() || text.starts_with(',');
  return error == std::errc() && whole && threads > 0 ? std::min(threads, 1024) : 0;
}

ThreadBudget thread_budget() {
  if (const int asked = omp_threads(std::getenv("OMP_NUM_THREADS")); asked > 0)
    return {asked, "OMP_NUM_THREADS"};
  const int usable = usable_processors(), quota = cgroup_processors();
  if (quota > 0 && quota < usable) return {quota, "cgroup quota"};
  // What sysconf counts are the processors that are on, whoever may use them.
  const auto machine = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  return {usable, usable < machine ? "processor affinity" : "processors"};
}

}  // namespace headwater
