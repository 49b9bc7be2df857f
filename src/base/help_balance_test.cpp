#include "base/help_balance.h"

#include <gtest/gtest.h>

namespace headwater {
namespace {

TEST(HelpBalance, HelpThatSavesMoreThanItCostsIsWanted) {
  HelpBalance balance;
  for (double now = 0; now < 1; now += 0.001) {
    EXPECT_TRUE(balance.wanted(now));
    balance.tell(0.0005, 0.0002, now);
  }
}

TEST(HelpBalance, OneLateThreadSaysNothing) {
  HelpBalance balance;
  balance.tell(0, 0.0015, 0);
  EXPECT_TRUE(balance.wanted(0.0015));
}

TEST(HelpBalance, HelpThatCostsMoreIsLeftForAWhile) {
  HelpBalance balance;
  balance.tell(0.001, 0.004, 1);
  EXPECT_FALSE(balance.wanted(1.01));
  EXPECT_FALSE(balance.wanted(1.049));
  EXPECT_TRUE(balance.wanted(1.051));
  balance.tell(0.001, 0.0005, 1.051);  // and tried again with a clean slate
  EXPECT_TRUE(balance.wanted(1.052));
}

// A wait of 4 ms among savings of 10 ms, twenty times over, is worth it; among 10 ms long ago it is not.
TEST(HelpBalance, OldExperienceFades) {
  HelpBalance balance;
  double now = 0;
  for (int k = 0; k < 20; ++k, now += 0.01) balance.tell(0.010, 0.004, now);
  EXPECT_TRUE(balance.wanted(now));
  now += 1;
  balance.tell(0, 0.004, now);
  EXPECT_FALSE(balance.wanted(now));
}

}  // namespace
}  // namespace headwater
