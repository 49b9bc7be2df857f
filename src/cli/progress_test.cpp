#include "cli/progress.h"

#include <gtest/gtest.h>

namespace headwater {
namespace {

TEST(Progress, SaysWhatIsLeftOnceItCanTell) {
  EXPECT_EQ(progress_text({.method = "value_zeroing", .done = 0.25}, 4),
            "value_zeroing  25 %  about 12 s left");
  EXPECT_EQ(progress_text({.method = "m", .done = 0.01}, 4), "m  1 %");
  EXPECT_EQ(progress_text({.method = "m", .done = 1.5}, 4), "m  100 %  about 0 s left");
}

TEST(Progress, CountsInputs) {
  EXPECT_EQ(count_text({.done = 17}, 4), "17 done");
  EXPECT_EQ(count_text({.done = 1, .all = 872}, 4), "1 of 872");
  EXPECT_EQ(count_text({.done = 218, .all = 872}, 4), "218 of 872  about 12 s left");
  EXPECT_EQ(count_text({.done = 700, .before = 528, .all = 872}, 4), "700 of 872  about 4 s left")
      << "an earlier run's inputs took none of these seconds";
  EXPECT_EQ(count_text({.done = 100, .all = 872}, 40), "100 of 872  about 5 min left");
  EXPECT_EQ(count_text({.done = 100, .all = 872}, 4000), "100 of 872  about 8.6 h left");
  EXPECT_EQ(count_text({.done = 0, .all = 2, .fraction = 0.5}, 4), "0 of 2  about 12 s left");
}

}  // namespace
}  // namespace headwater
