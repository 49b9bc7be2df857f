// How many threads may run here: what the user's environment, the processors this process may use and the
// container's quota allow.
#pragma once

#include <string>

namespace headwater {

struct ThreadBudget {
  int threads = 1;
  std::string decided_by;  // "OMP_NUM_THREADS", "processor affinity", "cgroup quota" or "processors"
};

// OMP_NUM_THREADS as it stands (the variable other numerical programs obey; of a list its first number);
// without it the fewest of: the processors of the machine, those this process may run on, the cgroup's quota.
ThreadBudget thread_budget();

// The processors this process may run on (sched_setaffinity, cpusets).
int usable_processors();

// The first number of OMP_NUM_THREADS's value; 0 where it has none that means anything.
int omp_threads(const char* value);

// Where the kernel says what a process may use. Given by tests; the default is this machine's.
struct CgroupPlaces {
  std::string membership = "/proc/self/cgroup";  // "0::/path" (version 2), "4:cpu,cpuacct:/path" (version 1)
  std::string root = "/sys/fs/cgroup";
};
// The quota of the groups this process is in, parents included, in whole processors rounded up; 0: no quota.
int cgroup_processors(const CgroupPlaces& places = {});

}  // namespace headwater
