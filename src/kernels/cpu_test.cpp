// What the program says of its kernels agrees with what runs.
#include <algorithm>

#include "kernels/kernels.h"
#include "support/kernel_checks.h"

namespace headwater {
namespace {

TEST(Cpu, NamesAKernelForEveryPurpose) {
  const auto choices = kernels_in_use();
  ASSERT_FALSE(choices.empty());
  for (const KernelChoice& choice : choices) {
    EXPECT_FALSE(choice.kernel.empty());
    EXPECT_FALSE(choice.implementation.empty());
  }
  const std::string isa(kernels::name_of(kernels::isa()));
  EXPECT_NE(choices.front().implementation.find(isa), std::string::npos);
}

TEST(Cpu, UsesOnlyWhatTheProcessorHas) {
  const auto features = cpu_features();
  const auto has = [&](const char* name) {
    return std::find(features.begin(), features.end(), name) != features.end();
  };
  if (kernels::widest_isa() >= kernels::Isa::Avx2) {
    EXPECT_TRUE(has("avx2") && has("fma"));
  }
  if (kernels::widest_isa() == kernels::Isa::Avx512) {
    EXPECT_TRUE(has("avx512f"));
  }
}

TEST(Cpu, LimitHolds) {
  kernels::limit_isa(kernels::Isa::Baseline);
  EXPECT_EQ(kernels::isa(), kernels::Isa::Baseline);
  kernels::limit_isa(kernels::Isa::Avx512);
  EXPECT_EQ(kernels::isa(), kernels::widest_isa());
}

}  // namespace
}  // namespace headwater
