// An image cut into patches: pixels [B, C, height, width] → [B, N, C·P·P], patches in reading order and
// inside a patch channel by channel. A strided convolution is this followed by a linear layer.
//
// A permutation of numbers: pull permutes back, push permutes alike.

#include <fmt/format.h>
#include <headwater/error.h>

#include "ops/ops.h"

namespace headwater {
namespace {

class PatchesOp final : public Op {
 public:
  explicit PatchesOp(Index patch) : patch_(patch) {}
  std::string_view name() const override { return "patches"; }

  Tensor forward(std::span<const Tensor> x) const override {
    const Shape& s = x[0].shape();
    if (s.rank() != 4 || s[2] % patch_ != 0 || s[3] % patch_ != 0)
      throw InternalError(fmt::format(
          "patches: expected pixels [B, C, height, width] in multiples of {}, found {}", patch_, s.str()));
    Tensor y({s[0], (s[2] / patch_) * (s[3] / patch_), s[1] * patch_ * patch_}, x[0].dtype());
    permute(x[0], y, s, s[0], Direction::ToPatches);
    return y;
  }

  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& /*rules*/) const override {
    Tensor dx(stacked_like(signal, call.y, call.x[0]), signal.dtype());
    permute(signal, dx, call.x[0].shape(), stack_of(signal, call.y) * call.x[0].dim(0), Direction::ToPixels);
    return {dx};
  }

  Tensor push(const Call& call, std::span<const Tensor> parts, const Rules& /*rules*/) const override {
    Tensor dy(stacked_like(parts[0], call.x[0], call.y), parts[0].dtype());
    permute(parts[0], dy, call.x[0].shape(), stack_of(parts[0], call.x[0]) * call.x[0].dim(0),
            Direction::ToPatches);
    return dy;
  }

 private:
  enum class Direction { ToPatches, ToPixels };

  void permute(const Tensor& in, Tensor& out, const Shape& image, Index batch, Direction direction) const {
    dispatch(in.dtype(), [&]<class R>(R) {
      const R* from = in.data<R>();
      R* to = out.data<R>();
      Index patch_at = 0;  // runs through the patch layout in order
      for (Index b = 0; b < batch; ++b)
        for (Index row = 0; row < image[2]; row += patch_)
          for (Index column = 0; column < image[3]; column += patch_)
            for (Index c = 0; c < image[1]; ++c)
              for (Index i = 0; i < patch_; ++i) {
                const Index pixel_at = ((b * image[1] + c) * image[2] + row + i) * image[3] + column;
                for (Index j = 0; j < patch_; ++j, ++patch_at) {
                  if (direction == Direction::ToPatches)
                    to[patch_at] = from[pixel_at + j];
                  else
                    to[pixel_at + j] = from[patch_at];
                }
              }
    });
  }

  Index patch_;
};

}  // namespace

Var patches(const Var& pixels, int patch, Place place) {
  return pixels.tape->record(std::make_shared<PatchesOp>(patch), {pixels}, place);
}

}  // namespace headwater
