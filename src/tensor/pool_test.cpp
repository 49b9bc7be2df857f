#include "tensor/pool.h"

#include <gtest/gtest.h>
#include <headwater/tensor.h>

namespace headwater {
namespace {

void make_and_drop() {
  const Tensor some({1 << 16}, DType::Float32);
}

TEST(Pool, KeepsFreedBuffersUnlessToldOtherwise) {
  make_and_drop();
  EXPECT_GE(tensor_pool_statistics().pooled_bytes, std::size_t{4} << 16);
  {
    const pool::KeepNothing outer;
    EXPECT_EQ(tensor_pool_statistics().pooled_bytes, 0U);
    { const pool::KeepNothing inner; }
    make_and_drop();
    EXPECT_EQ(tensor_pool_statistics().pooled_bytes, 0U) << "the outer one still lives";
  }
  make_and_drop();
  EXPECT_GE(tensor_pool_statistics().pooled_bytes, std::size_t{4} << 16);
}

TEST(Pool, KnowsTheMostThatWasInUseSinceTheMark) {
  reset_tensor_pool_peak();
  const std::size_t before = tensor_pool_statistics().live_bytes;
  make_and_drop();
  EXPECT_EQ(tensor_pool_statistics().live_bytes, before);
  EXPECT_GE(tensor_pool_statistics().peak_bytes, before + (std::size_t{4} << 16));
  reset_tensor_pool_peak();
  EXPECT_EQ(tensor_pool_statistics().peak_bytes, before);
}

}  // namespace
}  // namespace headwater
