#include "cli_support/progress.h"

#include <gtest/gtest.h>

namespace headwater {
namespace {

TEST(Progress, SaysWhatIsLeftOnceItCanTell) {
  EXPECT_EQ(progress_text({.method = "value_zeroing", .done = 0.25}, 4),
            "value_zeroing  25 %  about 12 s left");
  EXPECT_EQ(progress_text({.method = "m", .done = 0.01}, 4), "m  1 %");
  EXPECT_EQ(progress_text({.method = "m", .done = 1.5}, 4), "m  100 %  about 0 s left");
}

}  // namespace
}  // namespace headwater
