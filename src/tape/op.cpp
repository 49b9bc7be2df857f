#include "tape/op.h"

#include <fmt/format.h>
#include <headwater/error.h>

namespace headwater {

Index stack_of(const Tensor& signal, const Tensor& value) {
  if (signal.shape() == value.shape()) return 1;
  if (signal.rank() == value.rank() + 1 && signal.shape().without_front() == value.shape())
    return signal.dim(0);
  throw InternalError(fmt::format("signal: expected {} or one more leading axis, found {}",
                                  value.shape().str(), signal.shape().str()));
}

Shape stacked_like(const Tensor& like, const Tensor& of, const Tensor& value) {
  return like.rank() == of.rank() ? value.shape() : value.shape().with_front(like.dim(0));
}

void require_shape(std::string_view op, std::string_view what, const Shape& found, const Shape& expected) {
  if (found != expected)
    throw InternalError(fmt::format("{}: expected {} {}, found {}", op, what, expected.str(), found.str()));
}

}  // namespace headwater
