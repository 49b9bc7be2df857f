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
//
// Note [Rows]. The rows of a value are axis 1, for scores and patterns axis 2; each row is a unit of a
// sequence. Many ops compute row t of their output from row t of an input, and some rows can then be computed
// without the others: rows_needed returns the rows of an input that are needed, and for_rows the op that
// computes the wanted rows from these alone. An op without these functions needs all rows and computes all.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <headwater/tensor.h>

#include "base/as_size.h"
#include "tape/rules.h"

namespace headwater {

struct Call {
  std::vector<Tensor> x;  // inputs
  Tensor y;               // output
};

using Rows = std::optional<std::vector<int>>;  // these rows in this order, or all

class Op : public std::enable_shared_from_this<Op> {
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
  // See Note [Rows]. The rows of this input from which the `wanted` rows of the output are computed.
  virtual Rows rows_needed(std::size_t /*input*/, const Rows& /*wanted*/) const { return {}; }
  // The op that computes the wanted rows from the needed rows alone; null if this op can only compute all
  // rows.
  virtual std::shared_ptr<const Op> for_rows(const Rows& wanted) const {
    return wanted ? nullptr : shared_from_this();
  }
  // The op for one input of the batch, if it holds data of each input.
  virtual std::shared_ptr<const Op> for_input(Index /*input*/) const { return shared_from_this(); }
};

// An op that computes row by row and does not depend on the row's number, as most ops do.
class RowByRowOp : public Op {
 public:
  Rows rows_needed(std::size_t /*input*/, const Rows& wanted) const override { return wanted; }
  std::shared_ptr<const Op> for_rows(const Rows& /*wanted*/) const override { return shared_from_this(); }
};

// The number of seeds that `signal` carries for a value of this shape: S if it has a leading axis, otherwise
// 1. Throws InternalError if the remaining axes differ.
Index stack_of(const Tensor& signal, const Tensor& value);
// The shape of a signal for `value` that carries as many seeds as `like` does for `of`.
Shape stacked_like(const Tensor& like, const Tensor& of, const Tensor& value);

// Throws InternalError "<op>: expected <what> <expected>, found <shape>" unless the shapes agree.
void require_shape(std::string_view op, std::string_view what, const Shape& found, const Shape& expected);

}  // namespace headwater
