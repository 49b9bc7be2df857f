// Op: a function with a choice of linear stand-ins.
//
//   forward  computes it;
//   pull     carries a signal back through a stand-in (gradient rules: the transposed Jacobian);
//   push     carries a part forward through the same stand-in (gradient rules: the Jacobian).
//
// Note [Stacked seeds]. A signal or part may carry one leading axis S more than the value it belongs to:
// many seeds in one walk. Ops handle both by looking at stack_of(signal, value).
//
// Note [Nothing saved]. An op gets its inputs and its output when it is pulled or pushed, and keeps
// nothing itself; it is immutable, so one op may run on many threads.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <headwater/tensor.h>

#include "tape/rules.h"

namespace headwater {

struct Call {
  std::vector<Tensor> x;  // inputs
  Tensor y;               // output
};

class Op {
 public:
  Op() = default;
  Op(const Op&) = delete;
  Op& operator=(const Op&) = delete;
  virtual ~Op() = default;

  virtual std::string_view name() const = 0;
  // Checks the shapes (throws InternalError "op: expected …, found …") and computes.
  virtual Tensor forward(std::span<const Tensor> x) const = 0;
  // One signal per input; an empty tensor where no signal flows back.
  virtual std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules& rules) const = 0;
  // parts[k] belongs to x[k]; an empty tensor stands for zero. At least one is not empty.
  virtual Tensor push(const Call& call, std::span<const Tensor> parts, const Rules& rules) const = 0;
};

// How many seeds `signal` carries for a value of this shape: S if it has a leading axis, else 1.
// Throws InternalError when the remaining axes differ.
Index stack_of(const Tensor& signal, const Tensor& value);
// The shape of a signal for `value` that carries as many seeds as `like` does for `of`.
Shape stacked_like(const Tensor& like, const Tensor& of, const Tensor& value);

// Throws InternalError "<op>: expected <what> <expected>, found <shape>" unless the shapes agree.
void require_shape(std::string_view op, std::string_view what, const Shape& found, const Shape& expected);

}  // namespace headwater
