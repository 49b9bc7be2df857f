#include "engine/places.h"

#include <cstdlib>

#include <gtest/gtest.h>
#include <headwater/engine.h>

#include "support/source_folder.h"

namespace headwater {
namespace {

TEST(Places, EnvironmentComesFirstAndTheSourceTreeLast) {
  setenv("HEADWATER_MODELS", "/first:/second:", 1);
  const auto folders = shipped_model_folders();
  unsetenv("HEADWATER_MODELS");
  ASSERT_GE(folders.size(), 3U);
  EXPECT_EQ(folders[0], "/first");
  EXPECT_EQ(folders[1], "/second");
  EXPECT_EQ(folders.back(), HEADWATER_SOURCE_DIR "/models");
}

TEST(Places, SharedFoldersLieAboveTheLibrary) {
  EXPECT_EQ(shared_folders_above("/usr/lib/x86_64-linux-gnu/libheadwater.so"),
            (std::vector<std::string>{"/usr/lib/share/headwater/models", "/usr/share/headwater/models",
                                      "/share/headwater/models"}));
  EXPECT_EQ(shared_folders_above("/opt/hw/bin/headwater").front(), "/opt/hw/share/headwater/models");
  EXPECT_TRUE(shared_folders_above("").empty());
}

TEST(Version, IsTheProjects) {
  EXPECT_EQ(version(), "0.1.0");
}

}  // namespace
}  // namespace headwater
