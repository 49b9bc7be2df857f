#include "base/processors.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "support/scratch_folder.h"

namespace headwater {
namespace {

namespace fs = std::filesystem;

// A tree of cgroups as the kernel shows it.
class Cgroups {
 public:
  void file(const std::string& path, const std::string& content) {
    fs::create_directories((folder_.path() / path).parent_path());
    std::ofstream(folder_.path() / path) << content << "\n";
  }
  int processors(const std::string& membership) {
    file("self", membership);
    return cgroup_processors({.membership = folder_.path() / "self", .root = folder_.path() / "root"});
  }

 private:
  testing::ScratchFolder folder_;
};

TEST(CgroupProcessors, NoneWithoutAQuota) {
  Cgroups groups;
  EXPECT_EQ(groups.processors("0::/user/shell"), 0);
  groups.file("root/user/shell/cpu.max", "max 100000");
  EXPECT_EQ(groups.processors("0::/user/shell"), 0);
  EXPECT_EQ(cgroup_processors({.membership = "/nonexistent/self", .root = "/nonexistent"}), 0);
}

TEST(CgroupProcessors, VersionTwoRoundsUp) {
  Cgroups groups;
  groups.file("root/user/cpu.max", "150000 100000");
  EXPECT_EQ(groups.processors("0::/user"), 2);
  groups.file("root/user/cpu.max", "5000 100000");
  EXPECT_EQ(groups.processors("0::/user"), 1);
}

TEST(CgroupProcessors, AParentMayBeTighter) {
  Cgroups groups;
  groups.file("root/slice/cpu.max", "200000 100000");
  groups.file("root/slice/job/cpu.max", "800000 100000");
  EXPECT_EQ(groups.processors("0::/slice/job"), 2);
}

TEST(CgroupProcessors, VersionOneHasATreePerController) {
  Cgroups groups;
  groups.file("root/cpu,cpuacct/docker/x/cpu.cfs_quota_us", "300000");
  groups.file("root/cpu,cpuacct/docker/x/cpu.cfs_period_us", "100000");
  EXPECT_EQ(groups.processors("5:memory:/docker/x\n4:cpu,cpuacct:/docker/x"), 3);
  groups.file("root/cpu,cpuacct/docker/x/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(groups.processors("4:cpu,cpuacct:/docker/x"), 0);
}

// The host's path does not exist below a container's root: its own files stand at the root.
TEST(CgroupProcessors, InAContainerTheRootCounts) {
  Cgroups groups;
  groups.file("root/cpu.max", "100000 100000");
  EXPECT_EQ(groups.processors("0::/system.slice/docker-1234.scope"), 1);
  Cgroups old;
  old.file("root/cpu/cpu.cfs_quota_us", "200000");
  old.file("root/cpu/cpu.cfs_period_us", "100000");
  EXPECT_EQ(old.processors("4:cpu,cpuacct:/docker/1234"), 2);
}

TEST(CgroupProcessors, NonsenseIsNoQuota) {
  Cgroups groups;
  groups.file("root/cpu.max", "fast please");
  EXPECT_EQ(groups.processors("0::/"), 0);
  groups.file("root/cpu.max", "100000 0");
  EXPECT_EQ(groups.processors("0::/\nno colons here"), 0);
}

TEST(OmpThreads, TheFirstNumberCounts) {
  EXPECT_EQ(omp_threads("3"), 3);
  EXPECT_EQ(omp_threads(" 4 , 2"), 4);
  EXPECT_EQ(omp_threads("999999999"), 1024);
  for (const char* none : {static_cast<const char*>(nullptr), "", "0", "-2", "two", "2x", "99999999999999"})
    EXPECT_EQ(omp_threads(none), 0) << (none == nullptr ? "unset" : none);
}

}  // namespace
}  // namespace headwater
